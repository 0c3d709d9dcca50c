#include "shardproof/properties/soak.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "soak/batch.h"

namespace shardproof {
namespace {

/// Of so many batches of leaves one is followed by small cases on threads.
constexpr std::uint64_t kThreadsEvery = 16;

/// Batches [first, last) on several threads.
class Round {
 public:
  Round(const SoakOptions& options, std::uint64_t first, std::uint64_t last, std::int64_t before)
      : options_(options), next_(first), last_(last), judged_(before) {}

  void run(SoakSums& sums) {
    {
      std::vector<std::jthread> workers;
      for (int i = 1; i < options_.jobs; ++i) workers.emplace_back([this, &sums] { work(sums); });
      work(sums);
    }
    if (error_) std::rethrow_exception(error_);
  }

  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  // Batches are taken in order and each is finished, so that all before a refuted one are judged.
  void work(SoakSums& sums) {
    SoakSums own;
    try {
      while (!done_) {
        if (options_.stop && options_.stop()) {
          stopped_ = true;
          break;
        }
        const std::uint64_t batch = next_++;
        if (batch >= last_) break;
        const std::int64_t before = own.judgements;
        judge_leaves(options_, batch, own);
        if (batch % kThreadsEvery == 0) judge_on_threads(options_, batch, own);
        if (own.refutation) done_ = true;
        const std::int64_t judged = judged_ += own.judgements - before;
        if (options_.on_progress) options_.on_progress(judged);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      done_ = true;
    }
    const std::lock_guard lock(mutex_);
    sums.add(own);
  }

  const SoakOptions& options_;
  std::atomic<std::uint64_t> next_;
  std::uint64_t last_;
  std::atomic<std::int64_t> judged_;
  std::atomic<bool> done_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // of all below, and of the sums
  std::exception_ptr error_;
};

}  // namespace

SoakResult soak(const SoakOptions& options) {
  constexpr std::int64_t kOfBatch = kLeafElements * kReductionsOfLeaf;
  SoakSums sums;
  SoakResult result;
  std::uint64_t batch = 0;
  // Some results are undecided: a further round makes up for them.
  while (sums.judgements < options.judgements && !sums.refutation && !result.stopped) {
    const std::int64_t left = options.judgements - sums.judgements;
    const std::uint64_t end = batch + static_cast<std::uint64_t>((left + kOfBatch - 1) / kOfBatch);
    Round round(options, batch, end, sums.judgements);
    round.run(sums);
    batch = end;
    result.stopped = round.stopped();
  }
  result.tallies = sums.tallies();
  result.judgements = sums.judgements;
  result.on_threads = sums.on_threads;
  result.exactly = sums.exactly;
  result.undecided = sums.undecided;
  result.refutation = std::move(sums.refutation);
  return result;
}

}  // namespace shardproof
