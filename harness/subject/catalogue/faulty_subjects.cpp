#include <algorithm>

#include "shardproof/case/error.h"
#include "shardproof/subject/fault_catalogue.h"
#include "shardproof/subject/per_rank.h"
#include "shardproof/subject/wrong_subjects.h"

namespace shardproof {
namespace {

struct MakeSubject {
  const std::string& name;
  const Planted& planted;

  [[nodiscard]] std::unique_ptr<Subject> operator()(const Fault& fault) const {
    return reducers(apply(fault, reducers_of(planted.base)));
  }
  [[nodiscard]] std::unique_ptr<Subject> operator()(const Overclaim&) const {
    return reducers(reducers_of(planted.base));
  }
  [[nodiscard]] std::unique_ptr<Subject> operator()(const ChangingOrder&) const {
    return reducers(reducers_of_changing_order());
  }
  [[nodiscard]] std::unique_ptr<Subject> operator()(TrainFault fault) const {
    return per_rank(name, claim_of(planted), sgd_of(planted.base, fault));
  }

 private:
  [[nodiscard]] std::unique_ptr<Subject> reducers(ReducerFactory factory) const {
    return per_rank(name, claim_of(planted), std::move(factory));
  }
};

[[noreturn]] void refuse(std::string_view id) {
  throw InputError("subject fault:" + std::string(id),
                   "unknown fault '" + std::string(id) + "'; `shardproof list faults` names them");
}

}  // namespace

Claim claim_of(const Planted& planted) {
  Claim claim = claim_of(planted.base);
  claim.target = Target::weighted_mean;
  claim.conditions = ConditionSet::all();
  claim.min_world = planted.min_world;
  claim.max_world = kMaxWorldSize;
  claim.roundings = std::nullopt;  // any placement: what is wrong is no matter of rounding
  claim.equal_bits = true;
  if (const auto* fault = std::get_if<TrainFault>(&planted.what)) {
    claim.update = Update::from_returned;
    if (*fault == TrainFault::mask_by_multiplication) claim.padding = PaddingContent::any;
  }
  return claim;
}

std::unique_ptr<Subject> make_faulty(std::string_view id) {
  const std::string name = "fault:" + std::string(id);
  if (const KnownFault* known = find_known_fault(id)) {
    const Planted planted{.what = known->fault};
    return std::visit(MakeSubject{name, planted}, planted.what);
  }
  const ReportedFault* reported = find_reported_fault(id);
  if (reported == nullptr) refuse(id);
  if (!reported->left_out.empty()) {
    throw InputError("subject " + name, "is not planted: " + reported->left_out);
  }
  return std::visit(MakeSubject{name, reported->planted}, reported->planted.what);
}

}  // namespace shardproof
