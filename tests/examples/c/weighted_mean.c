/* Right: every rank sums its micro-batches weighted by their valid rows, all ranks add up the sums
 * and the counts in the order of the ranks, and divide at the end. */
#include <shardproof/subject/plugin.h>
#include <stdlib.h>

struct rank {
  size_t elements;
  int64_t valid;
  float* sum; /* [elements] */
  float* all; /* [world_size][elements] */
};

static int begin(void* state, shardproof_context* ranks, const shardproof_trial* about,
                 void** out) {
  (void)state;
  struct rank* mine = calloc(1, sizeof *mine);
  *out = mine;
  mine->elements = about->elements;
  mine->sum = calloc(about->elements, sizeof(float));
  mine->all = calloc(about->elements * (size_t)ranks->world_size, sizeof(float));
  return SHARDPROOF_OK;
}

static void end(void* trial) {
  struct rank* mine = trial;
  if (mine == NULL) return;
  free(mine->sum);
  free(mine->all);
  free(mine);
}

static int contribute(void* trial, shardproof_context* ranks, const shardproof_contribution* c,
                      shardproof_result* result) {
  struct rank* mine = trial;
  const float* gradient = c->gradient;
  for (size_t i = 0; i < mine->elements; ++i) mine->sum[i] += (float)c->valid * gradient[i];
  mine->valid += c->valid;
  if (!c->last) return SHARDPROOF_OK;

  int64_t counts[64]; /* no world is larger */
  if (ranks->all_gather(ranks, &mine->valid, sizeof mine->valid, counts, NULL) != SHARDPROOF_OK ||
      ranks->all_gather(ranks, mine->sum, mine->elements * sizeof(float), mine->all, NULL) !=
          SHARDPROOF_OK) {
    return SHARDPROOF_CANCELLED;
  }
  int64_t valid = 0;
  for (int r = 0; r < ranks->world_size; ++r) valid += counts[r];
  float* reduced = result->gradient;
  for (size_t i = 0; i < mine->elements; ++i) {
    float total = 0;
    for (int r = 0; r < ranks->world_size; ++r) total += mine->all[(size_t)r * mine->elements + i];
    reduced[i] = valid == 0 ? 0 : total / (float)valid;
    mine->sum[i] = 0;
  }
  mine->valid = 0;
  return SHARDPROOF_OK;
}

static const shardproof_plugin table = {.size = sizeof table,
                                        .version = SHARDPROOF_PLUGIN_VERSION,
                                        .kind = SHARDPROOF_REDUCER,
                                        .name = "weighted_mean",
                                        .claim = "dtype=f32",
                                        .begin = begin,
                                        .end = end,
                                        .contribute = contribute};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
