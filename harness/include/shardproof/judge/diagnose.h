#pragma once

#include <span>
#include <string>
#include <vector>

#include "shardproof/judge/trial.h"
#include "shardproof/judge/verdict.h"

namespace shardproof {

/// A known fault whose formula predicts every wrong value.
struct Cause {
  std::string name;     ///< of the known fault
  std::string formula;  ///< `(1/P) sum_r mean_r`
  std::string meaning;  ///< `the mean of per-rank means`
  std::string where;    ///< `only biases, kernels are right`; empty: everywhere
  std::string effect;   ///< `a row of rank 1 weighs 3 times a row of rank 0`; may be empty
  std::string fix;
  int values = 0;  ///< wrong values, all of them predicted
  int cases = 0;   ///< on which they stand
  int unseen = 0;  ///< of those values, such as stand on cases that the finding did not come from
};

/// What is said of why a subject is wrong.
struct Diagnosis {
  std::vector<Cause> causes;  ///< all known faults that explain the values equally well
  /// Sentences about the values themselves: that they are right within the bound, or what was
  /// measured where no known fault fits.
  std::vector<std::string> observed;
};

/// Trials to explain, and what is known of them.
struct DiagnosisRequest {
  std::span<const Trial> trials;  ///< those without results are passed over
  /// So many of the first are the ones that the finding came from: a formula is fitted to them.
  std::size_t of_finding = 1;
  FailureKind kind = FailureKind::wrong_gradient;  ///< of the finding
};

/// Tests every known fault by exact prediction: it explains the values when its exact value, with
/// the error bound of its own weights, accepts every value that the reference refutes, on every
/// rank, leaf, step and trial. Of those the simplest explanations are named: of all values before
/// those that hold for some leaves, ranks, steps or worlds only.
Diagnosis diagnose(const DiagnosisRequest& request);

}  // namespace shardproof
