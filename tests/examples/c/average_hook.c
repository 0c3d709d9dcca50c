/* Right: a communication hook that starts a bucket by sending it, and averages it when it is waited
 * for, in the order of the ranks. */
#include <shardproof/subject/plugin.h>
#include <stdlib.h>

struct pending {
  double* buffer;
  size_t count;
};

static int hook(void* trial, shardproof_context* ranks, const shardproof_bucket* bucket,
                void** handle) {
  (void)trial;
  struct pending* mine = malloc(sizeof *mine);
  mine->buffer = bucket->buffer;
  mine->count = bucket->count;
  *handle = mine;
  for (int r = 0; r < ranks->world_size; ++r) {
    const int status = ranks->send(ranks, r, bucket->buffer, bucket->count * sizeof(double), NULL);
    if (status != SHARDPROOF_OK) return status;
  }
  return SHARDPROOF_OK;
}

static int wait(void* trial, shardproof_context* ranks, void* handle) {
  (void)trial;
  struct pending* mine = handle;
  double* arrived = malloc((mine->count + 1) * sizeof *arrived);
  int status = SHARDPROOF_OK;
  for (int r = 0; r < ranks->world_size && status == SHARDPROOF_OK; ++r) {
    status = ranks->receive(ranks, r, arrived, mine->count * sizeof *arrived, NULL);
    for (size_t i = 0; status == SHARDPROOF_OK && i < mine->count; ++i) {
      mine->buffer[i] = r == 0 ? arrived[i] : mine->buffer[i] + arrived[i];
    }
  }
  for (size_t i = 0; i < mine->count; ++i) mine->buffer[i] /= ranks->world_size;
  free(arrived);
  free(mine);
  return status;
}

static const shardproof_plugin table = {.size = sizeof table,
                                        .version = SHARDPROOF_PLUGIN_VERSION,
                                        .kind = SHARDPROOF_HOOK,
                                        .name = "average_hook",
                                        .claim = "target=mean-over-ranks,dtype=f64",
                                        .hook = hook,
                                        .wait = wait};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
