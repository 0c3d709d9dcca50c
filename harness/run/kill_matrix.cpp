#include "shardproof/run/kill_matrix.h"

#include <algorithm>

namespace shardproof {
namespace {

/// One property on its own: what it has executed, and whether it has refuted.
struct Alone {
  const Property& property;
  int executions = 0;
  std::optional<Kill> kill{};
};

class Trials {
 public:
  Trials(Subject& subject, const Limits& limits)
      : subject_(subject),
        claim_(std::make_shared<const Claim>(subject.claim())),
        limits_(limits) {}

  Trial execute(Case problem) {
    auto shared = std::make_shared<const Case>(std::move(problem));
    Outcome outcome = subject_.run(shared, limits_);
    return {shared, claim_, subject_.kind(), std::move(outcome)};
  }

  void try_alone(Alone& alone, const Trial& base, int index) {
    ++alone.executions;
    const Premise premise{*claim_, subject_.kind(), *base.problem};
    if (alone.property.excluded && alone.property.excluded(premise)) return;
    std::vector<Trial> related;
    if (alone.property.related) {
      for (Case& problem : alone.property.related(premise)) {
        if (!subject_.usable()) return;
        ++alone.executions;
        related.push_back(execute(std::move(problem)));
      }
    }
    const Verdict verdict = alone.property.check(base, related);
    if (!std::holds_alternative<Failure>(verdict)) return;
    alone.kill = Kill{alone.property.name, index, alone.executions};
  }

 private:
  Subject& subject_;
  std::shared_ptr<const Claim> claim_;
  const Limits& limits_;
};

bool refutes(const MutantResult& result, std::string_view property) {
  return std::ranges::any_of(result.kills,
                             [&](const Kill& kill) { return kill.property == property; });
}

bool only_it_refutes(const KillMatrix& matrix, const MutantResult& result, const Property& law) {
  if (!refutes(result, law.name)) return false;
  const bool beside_views = law.name == "matches_reference";
  return std::ranges::none_of(matrix.properties, [&](const Property& other) {
    if (other.name == law.name) return false;
    if (beside_views && other.kind == PropertyKind::view) return false;
    return refutes(result, other.name);
  });
}

int median(std::vector<int> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

int most(const std::vector<int>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

void count_causes(const MutantResult& result, KillSummary& counts) {
  if (!result.mutant.reported) return;
  ++counts.reported;
  if (!result.finding || result.mutant.cause.empty()) return;
  const std::vector<Cause>& causes = result.finding->diagnosis.causes;
  if (std::ranges::find(causes, result.mutant.cause, &Cause::formula) == causes.end()) return;
  ++counts.named;
  counts.named_alone += causes.size() == 1 ? 1 : 0;
}

}  // namespace

std::vector<Kill> kills(Subject& subject, std::span<const Property> properties, int cases,
                        const std::function<Case(int index)>& draw, const Limits& limits) {
  std::vector<Alone> all;
  for (const Property& property : properties) all.push_back({property});
  Trials trials(subject, limits);
  for (int index = 0; index < cases && subject.usable(); ++index) {
    const Trial base = trials.execute(draw(index));
    for (Alone& alone : all) {
      if (!alone.kill && subject.usable()) trials.try_alone(alone, base, index);
    }
  }
  std::vector<Kill> found;
  for (Alone& alone : all) {
    if (alone.kill) found.push_back(*std::move(alone.kill));
  }
  return found;
}

std::vector<NeededLaw> needed_laws(const KillMatrix& matrix) {
  std::vector<NeededLaw> needed;
  for (const Property& law : matrix.properties) {
    if (law.kind != PropertyKind::law) continue;
    NeededLaw& entry = needed.emplace_back(NeededLaw{law.name, {}});
    for (const MutantResult& result : matrix.mutants) {
      if (!only_it_refutes(matrix, result, law)) continue;
      entry.only_it_refutes.push_back(result.mutant.subject);
    }
  }
  return needed;
}

KillSummary summary(const KillMatrix& matrix) {
  KillSummary counts;
  std::vector<int> to_find;
  std::vector<int> to_shrink;
  for (const MutantResult& result : matrix.mutants) {
    const bool refuted = result.finding.has_value();
    ++counts.mutants;
    counts.refuted += refuted ? 1 : 0;
    if (!result.mutant.numeric) continue;
    ++counts.numeric;
    count_causes(result, counts);
    if (!refuted) {
      counts.numeric_survivors.push_back(result.mutant.subject);
      continue;
    }
    ++counts.numeric_refuted;
    to_find.push_back(result.finding->executions_to_find);
    to_shrink.push_back(result.finding->executions_to_shrink);
  }
  counts.most_executions_to_find = most(to_find);
  counts.most_executions_to_shrink = most(to_shrink);
  counts.median_executions_to_find = median(std::move(to_find));
  counts.median_executions_to_shrink = median(std::move(to_shrink));
  return counts;
}

bool complete(const KillMatrix& matrix) {
  const std::vector<NeededLaw> laws = needed_laws(matrix);
  return summary(matrix).numeric_survivors.empty() &&
         std::ranges::none_of(laws,
                              [](const NeededLaw& law) { return law.only_it_refutes.empty(); });
}

}  // namespace shardproof
