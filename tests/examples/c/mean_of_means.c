/* Wrong: averages every rank's own mean, so a row of a small shard weighs more. */
#include <shardproof/subject/plugin.h>

static int reduce_all(void* state, const shardproof_all* all, shardproof_result* result) {
  (void)state;
  float* reduced = result->gradient;
  for (size_t i = 0; i < all->trial->elements; ++i) {
    float mean = 0;
    for (int r = 0; r < all->world_size; ++r) {
      float sum = 0;
      int64_t valid = 0;
      for (int m = 0; m < all->micro_batches; ++m) {
        const shardproof_contribution* c = all->contributions[r * all->micro_batches + m];
        sum += (float)c->valid * ((const float*)c->gradient)[i];
        valid += c->valid;
      }
      if (valid > 0) mean += sum / (float)valid;
    }
    reduced[i] = mean / (float)all->world_size;
  }
  return SHARDPROOF_OK;
}

static const shardproof_plugin table = {.size = sizeof table,
                                        .version = SHARDPROOF_PLUGIN_VERSION,
                                        .kind = SHARDPROOF_ALL_AT_ONCE,
                                        .name = "mean_of_means",
                                        .claim = "dtype=f32",
                                        .reduce_all = reduce_all};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
