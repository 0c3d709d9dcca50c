#pragma once

#include <map>
#include <string>

#include "shardproof/properties/soak.h"

namespace shardproof {

/// Results of one batch or of many.
class SoakSums {
 public:
  SoakTally& tally(const Claim& claim, Dtype dtype, const std::string& scaling);
  void add(const SoakSums& other);
  [[nodiscard]] std::vector<SoakTally> tallies() const;

  std::int64_t judgements = 0;
  std::int64_t on_threads = 0;
  std::int64_t exactly = 0;
  std::int64_t undecided = 0;
  std::optional<SoakRefutation> refutation;

 private:
  SoakTally& tally(const SoakTally& like);

  std::map<std::string, SoakTally> tallies_;
};

/// Judgements that a batch of leaves makes, decided or not.
inline constexpr std::int64_t kLeafElements = 4096;
inline constexpr std::int64_t kReductionsOfLeaf = 16;

/// One leaf, reduced in several ways.
void judge_leaves(const SoakOptions& options, std::uint64_t batch, SoakSums& sums);

/// Some small cases on threads, by a strategy with a name.
void judge_on_threads(const SoakOptions& options, std::uint64_t batch, SoakSums& sums);

}  // namespace shardproof
