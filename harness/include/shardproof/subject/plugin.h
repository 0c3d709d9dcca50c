/* The C interface of shardproof: what a shared library exports to be checked by
 *
 *     shardproof check ./libmine.so
 *
 * C11, and C++ from C++20 on; needs nothing but this header. Every struct begins with its size, so
 * that later versions can add to its end; the version of the interface changes only where that is
 * not enough.
 *
 * Values are in the native format of their dtype: double, float, or 16 bits of a bf16 or f16
 * (uint16_t). Buffers are the harness's: they are valid during the call that they are handed to,
 * only what is said to be written may be written, and only `count` elements of it.
 */
#ifndef SHARDPROOF_PLUGIN_H
#define SHARDPROOF_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define SHARDPROOF_PLUGIN_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* What a function of the plug-in returns, and those of its context. */
enum shardproof_status {
  SHARDPROOF_OK = 0,
  SHARDPROOF_DECLINED = 1, /* the case is refused on purpose; say why with `message` */
  SHARDPROOF_FAILED = 2,   /* something went wrong; say what with `message` */
  SHARDPROOF_CANCELLED = 3 /* from a context function: the trial has ended; return it at once */
};

enum shardproof_dtype {
  SHARDPROOF_F64 = 0,
  SHARDPROOF_F32 = 1,
  SHARDPROOF_BF16 = 2,
  SHARDPROOF_F16 = 3
};

/* What a plug-in is, the thinnest first. */
enum shardproof_kind {
  SHARDPROOF_COLLECTIVE = 0, /* one buffer in, one buffer out */
  SHARDPROOF_HOOK = 1,       /* a communication hook: buckets of leaves, waited for later */
  SHARDPROOF_REDUCER = 2,    /* every micro-batch of a rank, the whole tree back */
  SHARDPROOF_TRAIN_STEP = 3, /* rows and parameters in, gradient, loss and parameters back */
  SHARDPROOF_ALL_AT_ONCE = 4 /* everybody's contributions in, one tree back; no ranks */
};

enum shardproof_op {
  SHARDPROOF_SUM = 0,    /* where the claim says target=sum */
  SHARDPROOF_AVERAGE = 1 /* where the claim says target=mean-over-ranks */
};

enum shardproof_call {
  SHARDPROOF_ALL_REDUCE = 0,    /* `count` elements from everybody, `count` to everybody */
  SHARDPROOF_REDUCE_SCATTER = 1 /* `count` elements to each: the send buffer has `count` times
                                   ranks; in place: receive lies at send + rank * count */
};

/* What a collective takes, bits of `calls`; 0 means all of them. */
enum shardproof_takes {
  SHARDPROOF_TAKES_OUT_OF_PLACE = 1,
  SHARDPROOF_TAKES_IN_PLACE = 2,
  SHARDPROOF_TAKES_OFFSET = 4, /* buffers one element off their alignment */
  SHARDPROOF_TAKES_REDUCE_SCATTER = 8
};

/* Ranks that take part in a call, in the order of their positions in the group; NULL: all ranks. */
typedef struct shardproof_group {
  size_t size;
  const int32_t* ranks; /* [count] */
  int32_t count;
} shardproof_group;

/* One rank's means to talk to the others; used from the thread that it is handed to. Each function
 * waits until it is done, and returns SHARDPROOF_OK, or SHARDPROOF_CANCELLED where the trial has
 * ended; SHARDPROOF_FAILED where its arguments are no sense. Peers are positions in the group. */
typedef struct shardproof_context shardproof_context;
struct shardproof_context {
  size_t size;
  int32_t rank;
  int32_t world_size;
  int (*barrier)(shardproof_context* self, const shardproof_group* group);
  /* `bytes` from everybody, one behind the other into `all`; equally many on all ranks. */
  int (*all_gather)(shardproof_context* self, const void* mine, size_t bytes, void* all,
                    const shardproof_group* group);
  /* Sends are buffered and do not wait. A message is received with the size that it was sent with.
   */
  int (*send)(shardproof_context* self, int32_t to, const void* data, size_t bytes,
              const shardproof_group* group);
  int (*receive)(shardproof_context* self, int32_t from, void* data, size_t bytes,
                 const shardproof_group* group);
  /* Keeps a text, one line, for the status that is returned next. */
  void (*message)(shardproof_context* self, const char* text);
  void* harness; /* not the plug-in's */
};

/* A parameter array in the flat tree: a kernel [rows, columns], row by row, or a bias [columns]. */
typedef struct shardproof_leaf {
  size_t size;
  const char* name; /* `kernel`, `layer1/bias` */
  size_t offset;    /* of its first element in the flat tree */
  size_t rows;
  size_t columns;
  int32_t layer;
  int32_t is_bias;
} shardproof_leaf;

/* What stays the same for a whole run. */
typedef struct shardproof_run {
  size_t size;
  const char* claim; /* under which it is judged, KEY=VALUE,... */
} shardproof_run;

/* What stays the same for all steps of a trial. */
typedef struct shardproof_trial {
  size_t size;
  int32_t dtype;        /* of what is handed in */
  int32_t output_dtype; /* of what is returned */
  size_t elements;      /* of the flat tree */
  const shardproof_leaf* leaves;
  size_t leaf_count;
  size_t features;
  size_t outputs;              /* of all layers together: the columns of y */
  const size_t* layer_outputs; /* [layers] */
  const int32_t* layer_has_bias;
  size_t layers;
} shardproof_trial;

/* One call of a collective. The harness makes one for each leaf of each step, after it has joined
 * the rank's micro-batches: out of place, in place, with both buffers one element off their
 * alignment, or as a reduce-scatter in place, by turns. */
typedef struct shardproof_collective {
  size_t size;
  int32_t call;  /* enum shardproof_call */
  int32_t op;    /* enum shardproof_op */
  int32_t dtype; /* of both buffers */
  int32_t step;
  const void* send; /* may be `receive` */
  void* receive;
  size_t count;
  const shardproof_group* group;
  void* stream; /* NULL: there is one stream, and it is done when the call returns */
} shardproof_collective;

/* One bucket of a communication hook: whole leaves side by side in one flat buffer, with elements
 * between them that belong to no leaf. Reduced in place. */
typedef struct shardproof_bucket {
  size_t size;
  int32_t op;
  int32_t dtype;
  int32_t step;
  int32_t index;   /* of the bucket in its step */
  int32_t is_last; /* the last bucket of the step */
  void* buffer;    /* [count] */
  size_t count;
  const size_t* leaves;  /* [leaf_count] which leaves of the trial */
  const size_t* offsets; /* [leaf_count] where they begin in the buffer */
  size_t leaf_count;
} shardproof_bucket;

/* What a rank hands to the reduction for one micro-batch. */
typedef struct shardproof_contribution {
  size_t size;
  const void* gradient; /* [elements], of the claim's input form */
  double loss;          /* of the same form; pre-update */
  int64_t valid;        /* rows that the mask keeps */
  int64_t rows;         /* padding included */
  int32_t step;
  int32_t micro_batch;
  int32_t last;          /* the step's last micro-batch: answer it */
  const uint8_t* absent; /* [layers], 1 where a layer was not used; NULL: all were */
} shardproof_contribution;

/* Rows that a rank evaluates at once; x and y in the trial's dtype. */
typedef struct shardproof_micro_batch {
  size_t size;
  const void* x;       /* [rows, features] */
  const void* y;       /* [rows, outputs] */
  const uint8_t* mask; /* [rows], 1 keeps a row, 0 is padding */
  int64_t rows;
  const uint8_t* absent; /* [layers]; NULL: all layers are used */
} shardproof_micro_batch;

/* What one rank gets for one step. */
typedef struct shardproof_train_input {
  size_t size;
  const shardproof_micro_batch* micro_batches;
  size_t micro_batch_count;
  const void* parameters; /* [elements], as this rank's last step returned them */
  double learning_rate;
  int32_t step;
} shardproof_train_input;

/* What is returned for a step. The gradient is required, and for train steps loss and parameters.
 */
typedef struct shardproof_result {
  size_t size;
  void* gradient;   /* [elements], of the output dtype; to be written */
  void* parameters; /* [elements], of the trial's dtype; train steps: to be written, else NULL */
  double loss;      /* pre-update, reduced like the gradient */
  double count;     /* valid rows of the step */
  double norm;      /* Euclidean norm of the whole returned tree */
  int32_t has_loss; /* 0 until it is set to 1 */
  int32_t has_count;
  int32_t has_norm;
  /* Under result=pieces only the rank's piece is read, at its place in `gradient`: elements
   * piece_offset to piece_offset + piece_length; the usual cut where has_piece stays 0. */
  int32_t has_piece;
  size_t piece_offset;
  size_t piece_length;
} shardproof_result;

/* Everybody's contributions of one step. */
typedef struct shardproof_all {
  size_t size;
  const shardproof_trial* trial;
  const shardproof_contribution* const* contributions; /* [world_size][micro_batches] */
  int32_t world_size;
  int32_t micro_batches;
  void (*message)(const struct shardproof_all* self, const char* text);
  void* harness;
} shardproof_all;

/* What a library exports. Functions that it has no use for are NULL: `open`, `close`, `begin`,
 * `end`, and those of other kinds. `state` is what open gave, `trial` what begin gave; NULL without
 * them.
 *
 * `open` and `close` are called once in a process, `begin` and `end` once a trial on every rank's
 * thread, so a trial's ranks never share `trial`; `state` they do. A new process may be started at
 * any time in which `open` is called again. */
typedef struct shardproof_plugin {
  size_t size;       /* sizeof(shardproof_plugin) */
  uint32_t version;  /* SHARDPROOF_PLUGIN_VERSION */
  int32_t kind;      /* enum shardproof_kind */
  const char* name;  /* one word; NULL: the name of the file */
  const char* claim; /* what it promises, KEY=VALUE,... as after --claim; NULL: the usual */
  int (*open)(const shardproof_run* run, void** state);
  void (*close)(void* state);
  int (*begin)(void* state, shardproof_context* ranks, const shardproof_trial* about, void** trial);
  void (*end)(void* trial);
  int (*collective)(void* trial, shardproof_context* ranks, const shardproof_collective* call);
  /* May return before the bucket is reduced; `wait` is called for every handle before the step
   * ends, in the order of the buckets. Without `wait` it has to be done when it returns. */
  int (*hook)(void* trial, shardproof_context* ranks, const shardproof_bucket* bucket,
              void** handle);
  int (*wait)(void* trial, shardproof_context* ranks, void* handle);
  /* Called for every micro-batch; `result` is NULL but for a step's last. */
  int (*contribute)(void* trial, shardproof_context* ranks,
                    const shardproof_contribution* contribution, shardproof_result* result);
  int (*train_step)(void* trial, shardproof_context* ranks, const shardproof_train_input* input,
                    shardproof_result* result);
  int (*reduce_all)(void* state, const shardproof_all* all, shardproof_result* result);
  int32_t calls; /* collectives: enum shardproof_takes, joined by |; 0: all */
} shardproof_plugin;

/* The one function that a library exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const shardproof_plugin*
shardproof_plugin_table(void);

#ifdef __cplusplus
}
#endif

#endif
