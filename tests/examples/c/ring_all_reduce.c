/* Right: a ring of sends and receives; every rank ends with the same bits. */
#include <shardproof/subject/plugin.h>
#include <stdlib.h>
#include <string.h>

static size_t begin_of(size_t count, int piece, int pieces) {
  return count * (size_t)piece / (size_t)pieces;
}

/* Reduce-scatter: the piece that a rank ends with is complete. Then all-gather around the same
 * ring. */
static int ring(shardproof_context* ranks, float* data, size_t count) {
  const int world = ranks->world_size;
  const int rank = ranks->rank;
  const int next = (rank + 1) % world;
  const int previous = (rank + world - 1) % world;
  float* arrived = malloc((count + 1) * sizeof *arrived);
  int status = SHARDPROOF_OK;
  for (int hop = 0; hop < 2 * (world - 1) && status == SHARDPROOF_OK; ++hop) {
    const int reducing = hop < world - 1;
    const int leaves = (rank - hop + 2 * world) % world;
    const int comes = (rank - hop - 1 + 2 * world) % world;
    const size_t from = begin_of(count, leaves, world);
    const size_t to = begin_of(count, comes, world);
    const size_t sent = begin_of(count, leaves + 1, world) - from;
    const size_t received = begin_of(count, comes + 1, world) - to;
    status = ranks->send(ranks, next, data + from, sent * sizeof *data, NULL);
    if (status == SHARDPROOF_OK) {
      status = ranks->receive(ranks, previous, arrived, received * sizeof *data, NULL);
    }
    if (status != SHARDPROOF_OK) break;
    for (size_t i = 0; i < received; ++i) {
      data[to + i] = reducing ? data[to + i] + arrived[i] : arrived[i];
    }
  }
  free(arrived);
  return status;
}

static int collective(void* trial, shardproof_context* ranks, const shardproof_collective* call) {
  (void)trial;
  if (call->op != SHARDPROOF_SUM) {
    ranks->message(ranks, "sums only");
    return SHARDPROOF_DECLINED;
  }
  if (call->receive != call->send) {
    memcpy(call->receive, call->send, call->count * sizeof(float));
  }
  return ring(ranks, call->receive, call->count);
}

static const shardproof_plugin table = {
    .size = sizeof table,
    .version = SHARDPROOF_PLUGIN_VERSION,
    .kind = SHARDPROOF_COLLECTIVE,
    .name = "ring_all_reduce",
    .claim = "target=sum,dtype=f32",
    .collective = collective,
    .calls = SHARDPROOF_TAKES_OUT_OF_PLACE | SHARDPROOF_TAKES_IN_PLACE | SHARDPROOF_TAKES_OFFSET};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
