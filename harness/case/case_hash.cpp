#include "case/case_hash.h"

#include <bit>
#include <vector>

namespace shardproof {
namespace {

/// FNV-1a over words.
class CaseHash {
 public:
  explicit CaseHash(const Case& problem) {
    add(static_cast<std::uint64_t>(problem.dtype));
    add(problem.learning_rate);
    add_all(problem.arrival);
    add(static_cast<std::uint64_t>(problem.world_size().value));
    add(static_cast<std::uint64_t>(problem.model.features));
    for (const Layer& layer : problem.model.layers) {
      add(2 * static_cast<std::uint64_t>(layer.outputs) + (layer.bias ? 1 : 0));
    }
    add_all(problem.model.parameters);
    for (const Step& step : problem.steps) {
      add(static_cast<std::uint64_t>(step.micro_batches()));
      for (const Shard& shard : step.shards) {
        for (const MicroBatch& batch : shard.micro_batches) add_rows(batch);
      }
    }
  }

  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3U;
    hash_ ^= hash_ >> 29;
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(int value) { add(static_cast<std::uint64_t>(value)); }
  void add(std::uint8_t flag) { add(std::uint64_t{flag}); }
  template <class T>
  void add_all(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) add(value);
  }
  void add_rows(const MicroBatch& batch) {
    add_all(batch.mask);
    add_all(batch.absent);
    add_all(batch.x);
    add_all(batch.y);
  }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t case_hash(const Case& problem) { return CaseHash(problem).value(); }

}  // namespace shardproof
