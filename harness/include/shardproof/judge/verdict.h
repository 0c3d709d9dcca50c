#pragma once

#include <optional>
#include <string>
#include <variant>

#include "shardproof/case/types.h"

namespace shardproof {

/// In what way a subject broke a property. Shrinking keeps the kind.
enum class FailureKind {
  wrong_gradient,  ///< a reduced element lies outside the proved bound
  wrong_loss,
  wrong_count,
  wrong_norm,
  wrong_update,  ///< a parameter is not w - lr * gradient within the proved bound
  ranks_differ,  ///< ranks returned other bits than rank 0
  unsteady,      ///< other bits for the same inputs
  input_changed,
  number_from_nothing,  ///< a number, or a NaN, where no row is valid
  declined,             ///< an error on purpose for a case that the claim admits
  threw,
  deadlocked,
  hung,     ///< the only kind that is not a proof
  crashed,  ///< its process ended
  misbehaved,
};

/// `wrong_gradient`, ...
std::string_view name(FailureKind kind);

/// One broken promise, where it stands, and the numbers that prove it.
struct Failure {
  FailureKind kind = FailureKind::wrong_gradient;
  int step = 0;
  std::optional<Rank> rank;  ///< the first rank that shows it; nothing: not a matter of one rank
  bool every_rank = false;   ///< all ranks show it with the same value
  std::string element;       ///< `kernel[0,1]`, `loss`, ...; may be empty
  std::optional<double> returned;
  std::string exact;     ///< the exact value: a fraction where short
  std::string limit;     ///< the returnable value furthest towards `returned`, printed outward
  std::string basis;     ///< `end to end, from the rows` / `the reducer alone, from its inputs`
  std::string log{};     ///< the last of what it wrote to stderr
  std::string sentence;  ///< what is wrong, in one sentence with these numbers in it
};

struct Consistent {};
/// The case lies outside what the claim or the bound covers.
struct NotApplicable {
  std::string reason;
};

using Verdict = std::variant<Consistent, NotApplicable, Failure>;

}  // namespace shardproof
