#include <string>
#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/subject/typed.h"

namespace shardproof::typed {

Joining joining(const Claim& claim) {
  const bool sums = claim.target == Target::sum || claim.input != InputForm::local_mean;
  return sums ? Joining::sum : Joining::weighted_mean;
}

Claim claim_for(Claim claim, Dtype dtype) {
  if (claim.gradient.value_or(dtype) != dtype) {
    throw InputError("claim", "gradient: " + std::string(name(*claim.gradient)) +
                                  " is claimed by a subject that computes in " +
                                  std::string(name(dtype)));
  }
  if (claim.gradient) return claim;  // whatever the dtype of the case
  if (claim.only_dtype.value_or(dtype) != dtype) {
    throw InputError("claim", "dtype: " + std::string(name(*claim.only_dtype)) +
                                  " is claimed by a subject that computes in " +
                                  std::string(name(dtype)));
  }
  claim.only_dtype = dtype;
  return claim;
}

Claim claim_for_joined(Claim claim, Dtype dtype) {
  claim = claim_for(std::move(claim), dtype);
  const Dtype accumulate = claim.accumulate.value_or(dtype);
  if (format(accumulate).precision > format(dtype).precision) {
    throw InputError("claim", "accumulate: " + std::string(name(accumulate)) +
                                  " is claimed, but micro-batches are joined in " +
                                  std::string(name(dtype)) + "; take a TypedContribution instead");
  }
  if (claim.roundings && joining(claim) == Joining::weighted_mean) {
    *claim.roundings += kJoiningRoundings;
  }
  return claim;
}

}  // namespace shardproof::typed
