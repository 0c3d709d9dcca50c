#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardproof/subject/fault.h"
#include "shardproof/subject/sgd.h"
#include "shardproof/subject/strategy.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// What kind of mistake a fault is.
enum class FaultFamily {
  global_scale,
  weights,
  denominator,
  leaf_scale,
  term_scale,
  no_reduction,
  drop,
  duplicate,
  after_reduction,
  mix_leaves,
  stale,
  alias,
  narrow,
  empty_shard,
  nan_rule,
  non_commuting,
  lossy_wire,
  path,
  order_only,  ///< no fault of values: other bits inside the bound
};
std::string_view name(FaultFamily family);

/// A mistaken arithmetic: what a diagnosis tries as a cause.
struct KnownFault {
  std::string name;  ///< `mean-of-rank-means`
  FaultFamily family;
  std::string formula;  ///< `(1/P) sum_r mean_r`
  std::string meaning;  ///< `the mean of per-rank means`
  std::string fix;
  Fault fault;  ///< its trigger holds what belongs to the arithmetic, and nothing else
};

/// All of them; each predicts other values than any other does on some case.
std::span<const KnownFault> known_faults();

/// The one of that name, or null.
const KnownFault* find_known_fault(std::string_view name);

/// A right strategy that claims what it does not keep.
struct Overclaim {
  friend bool operator==(const Overclaim&, const Overclaim&) = default;
};
/// A right sum that starts at another rank in every trial.
struct ChangingOrder {
  friend bool operator==(const ChangingOrder&, const ChangingOrder&) = default;
};

/// How a fault is put into a subject.
struct Planted {
  std::variant<Fault, Overclaim, ChangingOrder, TrainFault> what{};
  Strategy base{};    ///< what it is put into
  int min_world = 1;  ///< of the claim
};

/// A fault that was seen in a real project.
struct ReportedFault {
  std::string id;  ///< `A01`: a letter for the kind of place, as in docs/faults.md
  FaultFamily family;
  int year = 0;
  std::string url;
  std::string what;   ///< one sentence
  std::string known;  ///< the known fault that is its arithmetic; empty where none is
  Planted planted{};
  bool numeric = true;     ///< whether it changes a value by more than rounding may
  std::string left_out{};  ///< why it is not planted; empty: it is
};

/// All of them, by id.
std::span<const ReportedFault> reported_faults();

/// The one of that id, or null.
const ReportedFault* find_reported_fault(std::string_view id);

/// What a user of the faulty code would claim: the weighted mean under all conditions.
Claim claim_of(const Planted& planted);

/// The subject `fault:ID`, of a reported fault's id or a known fault's name.
/// \throws InputError  when there is none, or it is not planted
std::unique_ptr<Subject> make_faulty(std::string_view id);

}  // namespace shardproof
