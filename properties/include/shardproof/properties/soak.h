#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shardproof/generators/leaves.h"
#include "shardproof/judge/verdict.h"
#include "shardproof/run/counterexample.h"

namespace shardproof {

/// A way to reduce a whole leaf, and the claim under which it is judged.
struct SoakReduction {
  Claim claim;
  std::string what;     ///< in words
  std::string scaling;  ///< by which results are grouped
  std::function<std::vector<double>(const DrawnLeaf&)> reduce;
};

/// A right one.
SoakReduction draw_soak_reduction(Source& source, const DrawnLeaf& leaf);

/// What was judged under one kind of claim.
struct SoakTally {
  std::string dtypes;     ///< `f32`, `f32, accumulated in f64`, `bf16, wire f16`
  std::string sums;       ///< the same without wire and output
  std::string scaling;    ///< `weight, divide`
  std::string summation;  ///< `tree`, `any`, `running mean`
  std::int64_t judgements = 0;
  std::int64_t undecided = 0;  ///< and not among the judgements
  double tightest = 0;         ///< the largest error as a share of what is allowed that was met
};

/// A result of a right reduction that was refuted. It stands for itself: nothing is drawn from the
/// seed again to understand it.
struct SoakRefutation {
  std::uint64_t batch = 0;  ///< of the seed
  std::string what;
  Claim claim;
  Dtype dtype = Dtype::f32;
  std::vector<std::vector<std::int64_t>> counts;  ///< [rank][micro-batch]
  std::vector<std::vector<double>> terms;         ///< of the refuted element
  Failure failure;
  std::optional<Counterexample> counterexample;  ///< of a case on threads, instead of the terms
};

struct SoakResult {
  std::vector<SoakTally> tallies;  ///< ordered by their names
  std::int64_t judgements = 0;     ///< of elements
  std::int64_t on_threads = 0;     ///< of these, in small cases on threads
  std::int64_t exactly = 0;        ///< decided by exact arithmetic
  std::int64_t undecided = 0;
  std::optional<SoakRefutation> refutation;  ///< of the lowest batch
  bool stopped = false;                      ///< `stop` ended it early
};

struct SoakOptions {
  std::int64_t judgements = 10'000'000;
  std::uint64_t seed = 0;
  int jobs = 1;                  ///< threads that reduce and judge
  std::function<bool()> stop{};  ///< may be empty; asked by any thread
  std::function<void(std::int64_t judgements)> on_progress{};  ///< may be empty; by any thread
  /// Where reductions come from: right ones, unless the soak itself is tested.
  std::function<SoakReduction(Source&, const DrawnLeaf&)> draw = draw_soak_reduction;
};

/// Right reductions of nasty values, judged until there are enough judgements or one is refuted.
/// The same seed gives the same result, whatever `jobs` is.
SoakResult soak(const SoakOptions& options);

/// The record of a refutation: one JSON document, ending in a newline.
std::string to_json(const SoakRefutation& refutation, std::uint64_t seed);

}  // namespace shardproof
