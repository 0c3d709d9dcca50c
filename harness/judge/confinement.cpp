#include "judge/confinement.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace shardproof {
namespace {

/// What is asked about one result.
struct Place {
  const ResultSite& site;
  const Step& step;
  std::size_t leaf;    // of the tree; behind the last one for the loss
  std::size_t offset;  // within the leaf
  std::size_t length;  // of the leaf
  std::size_t ranks;

  [[nodiscard]] bool is_loss() const { return leaf == site.shape.leaves.size(); }
  [[nodiscard]] bool is_bias() const { return !is_loss() && site.shape.leaves[leaf].is_bias; }
  [[nodiscard]] const Shard& own() const { return step.shards[site.rank]; }
};

Place place_of(const ResultSite& site) {
  const std::vector<LeafShape>& leaves = site.shape.leaves;
  const Step& step = site.problem.steps[static_cast<std::size_t>(site.step)];
  Place place{site, step, leaves.size(), 0, 1, step.shards.size()};
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (site.element < leaves[leaf].offset ||
        site.element >= leaves[leaf].offset + leaves[leaf].size()) {
      continue;
    }
    place.leaf = leaf;
    place.offset = site.element - leaves[leaf].offset;
    place.length = leaves[leaf].size();
  }
  return place;
}

bool has_padding(const Shard& shard) {
  return std::ranges::any_of(
      shard.micro_batches, [](const MicroBatch& rows) { return rows.rows() > rows.valid().value; });
}
bool is_empty(const Shard& shard) { return shard.valid().value == 0; }
bool any_padding(const Place& p) { return std::ranges::any_of(p.step.shards, has_padding); }
bool any_empty(const Place& p) { return std::ranges::any_of(p.step.shards, is_empty); }
bool equal_counts(const Place& p) {
  return std::ranges::all_of(p.step.shards, [&](const Shard& shard) {
    return shard.valid().value == p.step.shards.front().valid().value;
  });
}
bool power_of_two(const Place& p) { return std::has_single_bit(p.ranks); }

/// Of what a rank holds whole beside its piece of the gradient: the parameters.
bool outside_own_piece(const Place& p) {
  const ResultSite& site = p.site;
  if (site.claim.result == Result::whole || p.is_loss()) return false;
  const Rank rank{static_cast<int>(site.rank)};
  return !even_piece(site.shape.size, site.problem.world_size(), rank).holds(site.element);
}

/// What a condition is about: two of one kind are not put together.
enum class About { element, rank, step, world, rows };

struct PlaceCondition {
  About about;
  const char* text;
  bool (*holds)(const Place&);
};

constexpr PlaceCondition kConditions[] = {
    {About::element, "only the loss, the gradient is right",
     [](const Place& p) { return p.is_loss(); }},
    {About::element, "only the gradient, the loss is right",
     [](const Place& p) { return !p.is_loss(); }},
    {About::element, "only biases, kernels are right", [](const Place& p) { return p.is_bias(); }},
    {About::element, "only kernels, biases are right",
     [](const Place& p) { return !p.is_loss() && !p.is_bias(); }},
    {About::element, "only the first leaf", [](const Place& p) { return p.leaf == 0; }},
    {About::element, "all leaves but the first",
     [](const Place& p) { return !p.is_loss() && p.leaf > 0; }},
    {About::element, "only the last leaf",
     [](const Place& p) { return p.leaf + 1 == p.site.shape.leaves.size(); }},
    {About::element, "all leaves but the last",
     [](const Place& p) { return p.leaf + 1 < p.site.shape.leaves.size(); }},
    {About::element, "every other leaf, from the second on",
     [](const Place& p) { return !p.is_loss() && p.leaf % 2 == 1; }},
    {About::element, "only elements past P chunks of floor(elements / P) of the gradient",
     [](const Place& p) {
       return !p.is_loss() && p.site.element >= p.site.shape.size / p.ranks * p.ranks;
     }},
    {About::element, "only elements past P chunks of floor(elements / P) of a leaf",
     [](const Place& p) { return !p.is_loss() && p.offset >= p.length / p.ranks * p.ranks; }},
    {About::element, "only leaves whose length P does not divide",
     [](const Place& p) { return !p.is_loss() && p.length % p.ranks != 0; }},
    {About::element, "only leaves of odd length",
     [](const Place& p) { return !p.is_loss() && p.length % 2 == 1; }},
    {About::element, "only leaves of one element",
     [](const Place& p) { return !p.is_loss() && p.length == 1; }},
    {About::element, "only leaves of several elements",
     [](const Place& p) { return p.length > 1; }},
    {About::element, "only leaves shorter than P",
     [](const Place& p) { return !p.is_loss() && p.length < p.ranks; }},
    {About::element, "only the last element of a leaf",
     [](const Place& p) { return !p.is_loss() && p.offset + 1 == p.length; }},
    {About::element, "only the first element of a leaf",
     [](const Place& p) { return !p.is_loss() && p.offset == 0; }},
    {About::element, "only the last element of the gradient",
     [](const Place& p) { return p.site.element + 1 == p.site.shape.size; }},
    {About::rank, "only on rank 0", [](const Place& p) { return p.site.rank == 0; }},
    {About::rank, "on every rank but rank 0, which is right",
     [](const Place& p) { return p.site.rank != 0; }},
    {About::rank, "only on the last rank",
     [](const Place& p) { return p.site.rank + 1 == p.ranks; }},
    {About::rank, "on every rank but the last, which is right",
     [](const Place& p) { return p.site.rank + 1 != p.ranks; }},
    {About::rank, "only on odd ranks", [](const Place& p) { return p.site.rank % 2 == 1; }},
    {About::rank, "only on ranks past the largest power of two",
     [](const Place& p) { return p.site.rank >= std::bit_floor(p.ranks); }},
    {About::rank, "only on ranks without a valid row",
     [](const Place& p) { return is_empty(p.own()); }},
    {About::rank, "only on ranks with valid rows",
     [](const Place& p) { return !is_empty(p.own()); }},
    {About::rank, "only on ranks with padding",
     [](const Place& p) { return has_padding(p.own()); }},
    {About::rank, "only outside of the rank's own piece", outside_own_piece},
    {About::step, "from step 1 on", [](const Place& p) { return p.site.step > 0; }},
    {About::step, "only in step 0", [](const Place& p) { return p.site.step == 0; }},
    {About::step, "only in the last step",
     [](const Place& p) {
       return static_cast<std::size_t>(p.site.step) + 1 == p.site.problem.steps.size();
     }},
    {About::world, "only in worlds of several ranks", [](const Place& p) { return p.ranks > 1; }},
    {About::world, "only in a world of one rank", [](const Place& p) { return p.ranks == 1; }},
    {About::world, "only in worlds of 3 ranks or more", [](const Place& p) { return p.ranks > 2; }},
    {About::world, "only in worlds that are no power of two",
     [](const Place& p) { return !power_of_two(p); }},
    {About::world, "only in worlds that are a power of two", power_of_two},
    {About::world, "only in odd worlds", [](const Place& p) { return p.ranks % 2 == 1; }},
    {About::world, "only in even worlds", [](const Place& p) { return p.ranks % 2 == 0; }},
    {About::rows, "only where there is padding", any_padding},
    {About::rows, "only where there is no padding", [](const Place& p) { return !any_padding(p); }},
    {About::rows, "only where some rank has no valid row", any_empty},
    {About::rows, "only where every rank has valid rows",
     [](const Place& p) { return !any_empty(p); }},
    {About::rows, "only where the ranks' counts are unequal",
     [](const Place& p) { return !equal_counts(p); }},
    {About::rows, "only where the ranks' counts are equal", equal_counts},
    {About::rows, "only where there are several micro-batches",
     [](const Place& p) { return p.step.micro_batches() > 1; }},
    {About::rows, "only where no row is valid",
     [](const Place& p) { return p.step.valid().value == 0; }},
};

/// A set of values, by their numbers.
class Set {
 public:
  explicit Set(std::size_t size) : words_((size + 63) / 64) {}
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool holds_all(const Set& other) const { return holds_all_with(*this, other); }
  /// Whether every one of `other` is in both sets.
  [[nodiscard]] bool holds_all_with(const Set& also, const Set& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((other.words_[w] & ~(words_[w] & also.words_[w])) != 0) return false;
    }
    return true;
  }
  /// Whether none of `other` is in both sets.
  [[nodiscard]] bool holds_none_with(const Set& also, const Set& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if ((other.words_[w] & words_[w] & also.words_[w]) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// The conditions that hold wherever the formula has to, and where.
struct Candidate {
  const PlaceCondition* condition;
  Set where;
};

std::optional<Confinement> first_that_excludes(const std::vector<Candidate>& candidates,
                                               const Set& outside) {
  for (const Candidate& one : candidates) {
    if (one.where.holds_none_with(one.where, outside)) return Confinement{1, one.condition->text};
  }
  for (const Candidate& one : candidates) {
    for (const Candidate& other : candidates) {
      if (other.condition->about <= one.condition->about) continue;
      if (!one.where.holds_none_with(other.where, outside)) continue;
      return Confinement{2, std::string(one.condition->text) + "; " + other.condition->text};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Confinement> confinement(const Evidence& evidence, const std::vector<Fit>& fits) {
  const std::span<const JudgedValue> values = evidence.values();
  Set inside(values.size());   // the formula has to hold there
  Set outside(values.size());  // and here it must not
  bool everywhere = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!fits[i].reference) inside.insert(i);
    if (!fits[i].formula) outside.insert(i);
    everywhere = everywhere && fits[i].formula;
  }
  if (everywhere) return Confinement{};
  std::vector<Candidate> candidates;
  for (const PlaceCondition& condition : kConditions)
    candidates.push_back({&condition, Set(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ResultSite site = evidence.site(values[i]);
    const Place place = place_of(site);
    for (Candidate& candidate : candidates) {
      if (candidate.condition->holds(place)) candidate.where.insert(i);
    }
  }
  std::erase_if(candidates, [&](const Candidate& c) { return !c.where.holds_all(inside); });
  return first_that_excludes(candidates, outside);
}

}  // namespace shardproof
