/* Wrong: reduces whole pieces of count / ranks elements, and forgets what is left over. */
#include <shardproof/subject/plugin.h>
#include <stdlib.h>
#include <string.h>

static int collective(void* trial, shardproof_context* ranks, const shardproof_collective* call) {
  (void)trial;
  const size_t world = (size_t)ranks->world_size;
  const size_t whole = call->count / world * world;
  float* all = malloc((call->count * world + 1) * sizeof *all);
  const int status =
      ranks->all_gather(ranks, call->send, call->count * sizeof *all, all, call->group);
  if (status == SHARDPROOF_OK) {
    float* reduced = call->receive;
    if (call->receive != call->send) memcpy(reduced, call->send, call->count * sizeof *all);
    for (size_t i = 0; i < whole; ++i) {
      reduced[i] = 0;
      for (size_t r = 0; r < world; ++r) reduced[i] += all[r * call->count + i];
      reduced[i] /= (float)world;
    }
  }
  free(all);
  return status;
}

static const shardproof_plugin table = {
    .size = sizeof table,
    .version = SHARDPROOF_PLUGIN_VERSION,
    .kind = SHARDPROOF_COLLECTIVE,
    .name = "dropped_tail",
    .claim = "target=mean-over-ranks,dtype=f32",
    .collective = collective,
    .calls = SHARDPROOF_TAKES_OUT_OF_PLACE | SHARDPROOF_TAKES_IN_PLACE};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
