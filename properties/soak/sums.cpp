#include <algorithm>

#include "soak/batch.h"

namespace shardproof {
namespace {

std::string summation_of(const Claim& claim) {
  if (claim.accumulation == Accumulation::running_mean) return "running mean";
  if (claim.summation == Summation::tree) return "tree";
  return claim.roundings ? "any order" : "any order, any placement";
}

}  // namespace

SoakTally& SoakSums::tally(const SoakTally& like) {
  SoakTally& tally = tallies_[like.dtypes + '|' + like.scaling + '|' + like.summation];
  tally.dtypes = like.dtypes;
  tally.sums = like.sums;
  tally.scaling = like.scaling;
  tally.summation = like.summation;
  return tally;
}

SoakTally& SoakSums::tally(const Claim& claim, Dtype dtype, const std::string& scaling) {
  const RoleDtypes roles = role_dtypes(claim, dtype);
  SoakTally like;
  like.sums = name(roles.gradient);
  if (roles.accumulate != roles.gradient) {
    like.sums.append(", accumulated in ").append(name(roles.accumulate));
  }
  like.dtypes = like.sums;
  if (roles.wire) like.dtypes.append(", wire ").append(name(*roles.wire));
  if (roles.output != roles.gradient) like.dtypes.append(", output ").append(name(roles.output));
  like.scaling = scaling;
  like.summation = summation_of(claim);
  return tally(like);
}

void SoakSums::add(const SoakSums& other) {
  judgements += other.judgements;
  on_threads += other.on_threads;
  exactly += other.exactly;
  undecided += other.undecided;
  for (const auto& [key, theirs] : other.tallies_) {
    SoakTally& mine = tally(theirs);
    mine.judgements += theirs.judgements;
    mine.undecided += theirs.undecided;
    mine.tightest = std::max(mine.tightest, theirs.tightest);
  }
  if (!other.refutation) return;
  if (!refutation || other.refutation->batch < refutation->batch) refutation = other.refutation;
}

std::vector<SoakTally> SoakSums::tallies() const {
  std::vector<SoakTally> all;
  for (const auto& [key, tally] : tallies_) all.push_back(tally);
  return all;
}

}  // namespace shardproof
