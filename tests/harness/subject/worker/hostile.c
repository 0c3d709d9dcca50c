/* A right mean over ranks that does one thing wrong, which the variable HOSTILE names, in worlds of
 * two and more ranks. */
#include <shardproof/subject/plugin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int trials; /* of this process, on rank 1: the thread that asks counts */

static int is(const char* what) {
  const char* asked = getenv("HOSTILE");
  return asked != NULL && strcmp(asked, what) == 0;
}

static void misuse_memory(const shardproof_contribution* c, shardproof_result* result,
                          size_t elements) {
  if (is("write behind")) ((double*)result->gradient)[elements] = 1;
  if (is("write before")) ((double*)result->gradient)[-1] = 1;
  if (is("change inputs")) ((double*)c->gradient)[0] += 1;
  if (is("10 GB")) {
    for (int i = 0; i < 10 * 1024; ++i) {
      char* piece = malloc(1 << 20);
      memset(piece, 1, 1 << 20);
    }
  }
}

static void end_process(void) {
  if (is("SIGSEGV")) *(volatile int*)8 = 1;
  if (is("abort")) abort();
  if (is("exit")) exit(7);
  if (is("_exit(0)")) _exit(0);
  if (is("kill parent")) kill(getppid(), SIGTERM);
  if (is("third trial") && trials > 2) raise(SIGKILL);
  if (is("children")) {
    if (fork() == 0) {
      setsid();
      for (;;) pause();
    }
    abort();
  }
}

static int wait_forever(shardproof_context* ranks) {
  if (is("infinite loop") && ranks->rank == 1) {
    for (volatile int i = 0;; ++i) {
    }
  }
  char never = 0;
  if (is("deadlock") && ranks->rank == 1) return ranks->receive(ranks, 0, &never, 1, NULL);
  return SHARDPROOF_OK;
}

static int talk(shardproof_context* ranks) {
  if (is("stdout")) printf("{\"rubbish\": \n\n");
  if (is("stderr")) fprintf(stderr, "a word of warning\n");
  if (is("decline")) {
    ranks->message(ranks, "not today");
    return SHARDPROOF_DECLINED;
  }
  if (is("fail")) {
    ranks->message(ranks, "out of luck");
    return SHARDPROOF_FAILED;
  }
  return is("no status") ? 17 : SHARDPROOF_OK;
}

static int begin(void* state, shardproof_context* ranks, const shardproof_trial* about,
                 void** out) {
  (void)state;
  if (ranks->rank == 1) ++trials;
  size_t* elements = malloc(sizeof *elements);
  *elements = about->elements;
  *out = elements;
  return SHARDPROOF_OK;
}

static int contribute(void* trial, shardproof_context* ranks, const shardproof_contribution* c,
                      shardproof_result* result) {
  const size_t elements = *(size_t*)trial;
  if (!c->last) return SHARDPROOF_OK;
  if (ranks->world_size > 1) {
    if (ranks->rank == 1) end_process();
    misuse_memory(c, result, elements);
    if (wait_forever(ranks) != SHARDPROOF_OK) return SHARDPROOF_CANCELLED;
    const int status = talk(ranks);
    if (status != SHARDPROOF_OK) return status;
  }
  double* all = malloc(elements * (size_t)ranks->world_size * sizeof *all);
  if (ranks->all_gather(ranks, c->gradient, elements * sizeof *all, all, NULL) != SHARDPROOF_OK) {
    free(all);
    return SHARDPROOF_CANCELLED;
  }
  for (size_t i = 0; i < elements; ++i) {
    double sum = 0;
    for (int r = 0; r < ranks->world_size; ++r) sum += all[(size_t)r * elements + i];
    ((double*)result->gradient)[i] = is("bare NaN") ? 0.0 / (sum - sum) : sum / ranks->world_size;
  }
  free(all);
  return SHARDPROOF_OK;
}

static void end(void* trial) { free(trial); }

static const shardproof_plugin table = {.size = sizeof table,
                                        .version = SHARDPROOF_PLUGIN_VERSION,
                                        .kind = SHARDPROOF_REDUCER,
                                        .claim = "target=mean-over-ranks,dtype=f64",
                                        .begin = begin,
                                        .end = end,
                                        .contribute = contribute};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
