#include "shardproof/subject/recorded.h"

#include <utility>

#include "case/case_hash.h"

namespace shardproof {
namespace {

bool same_but_given(const Case& a, Case b) {
  b.given = a.given;
  return a == b;
}

}  // namespace

Recorded::Recorded(std::string name, Claim claim, SubjectKind kind,
                   std::vector<Recording> recordings)
    : name_(std::move(name)),
      claim_(std::move(claim)),
      kind_(kind),
      recordings_(std::move(recordings)) {
  validate(claim_);
  for (std::size_t i = 0; i < recordings_.size(); ++i) {
    const Case& problem = *recordings_[i].problem;
    std::vector<Turns>& candidates = by_hash_[case_hash(problem)];
    bool known = false;
    for (Turns& turns : candidates) {
      if (!is_of(turns, problem)) continue;
      turns.of.push_back(i);
      known = true;
    }
    if (!known) candidates.push_back({.of = {i}});
  }
}

bool Recorded::is_of(const Turns& turns, const Case& problem) const {
  return same_but_given(*recordings_[turns.of.front()].problem, problem);
}

const std::vector<Recorded::Turns>* Recorded::candidates(const Case& problem) const {
  const auto found = by_hash_.find(case_hash(problem));
  return found == by_hash_.end() ? nullptr : &found->second;
}

bool Recorded::has(const Case& problem) const {
  const std::vector<Turns>* const all = candidates(problem);
  if (all == nullptr) return false;
  for (const Turns& turns : *all) {
    if (is_of(turns, problem)) return true;
  }
  return false;
}

Outcome Recorded::run(const SharedCase& problem, const Limits& /*limits*/) {
  const auto found = by_hash_.find(case_hash(*problem));
  if (found != by_hash_.end()) {
    for (Turns& turns : found->second) {
      if (!is_of(turns, *problem)) continue;
      const std::size_t at = turns.of[turns.next];
      turns.next = (turns.next + 1) % turns.of.size();
      return recordings_[at].outcome;
    }
  }
  return Declined{Rank{0}, 0, "no result of this case is on record"};
}

}  // namespace shardproof
