#include "shardproof/judge/verdict.h"

namespace shardproof {

std::string_view name(FailureKind kind) {
  switch (kind) {
    case FailureKind::wrong_gradient:
      return "wrong_gradient";
    case FailureKind::wrong_loss:
      return "wrong_loss";
    case FailureKind::wrong_count:
      return "wrong_count";
    case FailureKind::wrong_norm:
      return "wrong_norm";
    case FailureKind::wrong_update:
      return "wrong_update";
    case FailureKind::ranks_differ:
      return "ranks_differ";
    case FailureKind::unsteady:
      return "unsteady";
    case FailureKind::input_changed:
      return "input_changed";
    case FailureKind::number_from_nothing:
      return "number_from_nothing";
    case FailureKind::declined:
      return "declined";
    case FailureKind::threw:
      return "threw";
    case FailureKind::deadlocked:
      return "deadlocked";
    case FailureKind::hung:
      return "hung";
    case FailureKind::crashed:
      return "crashed";
    case FailureKind::misbehaved:
      return "misbehaved";
  }
  return "unknown";
}

}  // namespace shardproof
