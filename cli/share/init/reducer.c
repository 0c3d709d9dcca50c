/* A gradient reduction under test, in a shared library:
 *
 *     cc -std=c11 -O2 -ffp-contract=off -fPIC -shared THIS_FILE -o libmy_reducer.so
 *     shardproof check ./libmy_reducer.so
 */
#include "shardproof_plugin.h"

/* FILL IN: what your reduction promises, as `shardproof list` and docs/claims.md name it; such as
 * "target=sum", "target=mean-over-ranks,conditions=equal", "world=8". */
#define CLAIM "target=weighted-mean,dtype=f32"

/* All ranks' contributions of one step to the one tree that every rank holds afterwards. */
static int reduce_all(void* state, const shardproof_all* all, shardproof_result* result) {
  (void)state;
  float* reduced = result->gradient;
  const int count = all->world_size * all->micro_batches;
  int64_t total = 0;
  for (int c = 0; c < count; ++c) total += all->contributions[c]->valid;
  if (total == 0) {
    all->message(all, "no valid row on any rank");
    return SHARDPROOF_DECLINED;
  }
  /* FILL IN: your own reduction in place of these lines. contributions[r * micro_batches + k] is
   * what rank r hands in for its micro-batch k: the mean gradient over its valid rows, and how many
   * those are. */
  for (size_t i = 0; i < all->trial->elements; ++i) {
    double sum = 0;
    for (int c = 0; c < count; ++c) {
      const shardproof_contribution* one = all->contributions[c];
      sum += (double)one->valid * (double)((const float*)one->gradient)[i];
    }
    reduced[i] = (float)(sum / (double)total);
  }
  return SHARDPROOF_OK;
}

/* SHARDPROOF_ALL_AT_ONCE is the plainest kind. Others run on one thread a rank, with means to talk
 * to the other ranks: a collective, a communication hook, a reducer, a training step; see
 * shardproof_plugin.h. */
static const shardproof_plugin table = {.size = sizeof table,
                                        .version = SHARDPROOF_PLUGIN_VERSION,
                                        .kind = SHARDPROOF_ALL_AT_ONCE,
                                        .claim = CLAIM,
                                        .reduce_all = reduce_all};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
