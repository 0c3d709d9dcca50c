/* The shape of an all-reduce by NCCL, one process and one device a rank: built where nccl.h is, and
 * run where there are as many devices as ranks; otherwise it declines. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <shardproof/subject/plugin.h>

struct rank {
  ncclComm_t communicator;
  cudaStream_t stream;
};

static struct rank ranks_of_world[64];

static int begin(void* state, shardproof_context* ranks, const shardproof_trial* about,
                 void** out) {
  (void)state;
  (void)about;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < ranks->world_size) {
    ranks->message(ranks, "needs a device for every rank; claim world=1..N");
    return SHARDPROOF_DECLINED;
  }
  struct rank* mine = &ranks_of_world[ranks->rank];
  ncclUniqueId id;
  ncclUniqueId all[64];
  if (ranks->rank == 0) ncclGetUniqueId(&id);
  if (ranks->all_gather(ranks, &id, sizeof id, all, NULL) != SHARDPROOF_OK) {
    return SHARDPROOF_CANCELLED;
  }
  cudaSetDevice(ranks->rank);
  cudaStreamCreate(&mine->stream);
  *out = mine;
  return ncclCommInitRank(&mine->communicator, ranks->world_size, all[0], ranks->rank) ==
                 ncclSuccess
             ? SHARDPROOF_OK
             : SHARDPROOF_FAILED;
}

static void end(void* trial) {
  struct rank* mine = trial;
  if (mine == NULL) return;
  ncclCommDestroy(mine->communicator);
  cudaStreamDestroy(mine->stream);
}

static int collective(void* trial, shardproof_context* ranks, const shardproof_collective* call) {
  struct rank* mine = trial;
  (void)ranks;
  const size_t bytes = call->count * sizeof(float);
  float* buffer = NULL;
  int status = SHARDPROOF_FAILED;
  if (cudaMalloc((void**)&buffer, bytes) == cudaSuccess &&
      cudaMemcpy(buffer, call->send, bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
      ncclAllReduce(buffer, buffer, call->count, ncclFloat, ncclAvg, mine->communicator,
                    mine->stream) == ncclSuccess &&
      cudaStreamSynchronize(mine->stream) == cudaSuccess &&
      cudaMemcpy(call->receive, buffer, bytes, cudaMemcpyDeviceToHost) == cudaSuccess) {
    status = SHARDPROOF_OK;
  }
  cudaFree(buffer);
  return status;
}

static const shardproof_plugin table = {
    .size = sizeof table,
    .version = SHARDPROOF_PLUGIN_VERSION,
    .kind = SHARDPROOF_COLLECTIVE,
    .name = "nccl_all_reduce",
    .claim = "preset=nccl-avg,dtype=f32",
    .begin = begin,
    .end = end,
    .collective = collective,
    .calls = SHARDPROOF_TAKES_OUT_OF_PLACE | SHARDPROOF_TAKES_IN_PLACE};

const shardproof_plugin* shardproof_plugin_table(void) { return &table; }
