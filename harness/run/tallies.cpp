#include "run/tallies.h"

#include <algorithm>
#include <tuple>

#include "judge/power.h"
#include "shardproof/run/run.h"

namespace shardproof {

void count_case(std::span<const CaseClass> classes, const Trial& base, const CoverageOfCase& met,
                std::span<ClassCount> counts) {
  const Verdict* compared = base.gradient_verdict_made();
  const bool judged =
      met.judged && (compared == nullptr || !std::holds_alternative<NotApplicable>(*compared));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].only_related || !classes[i].holds(*base.problem)) continue;
    ++counts[i].drawn;
    counts[i].applicable += met.applicable ? 1 : 0;
    counts[i].judged += judged ? 1 : 0;
  }
}

void count_related(std::span<const CaseClass> classes, std::span<const Trial> related, bool judged,
                   std::span<ClassCount> counts) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!classes[i].only_related) continue;
    for (const Trial& trial : related) {
      if (!classes[i].holds(*trial.problem)) continue;
      ++counts[i].drawn;
      ++counts[i].applicable;
      counts[i].judged += judged ? 1 : 0;
    }
  }
}

void count_power(const Trial& base, std::vector<ClassPower>& power) {
  const std::optional<Power> shown = power_of(base);
  if (!shown) return;
  const auto key = [](const ClassPower& of) { return std::tuple(of.dtype, of.world); };
  ClassPower fresh{.dtype = base.problem->dtype,
                   .world = base.problem->world_size().value,
                   .smallest_error = shown->smallest_error};
  auto at =
      std::lower_bound(power.begin(), power.end(), fresh,
                       [&](const ClassPower& a, const ClassPower& b) { return key(a) < key(b); });
  if (at == power.end() || key(*at) != key(fresh)) at = power.insert(at, fresh);
  ++at->judged;
  at->weak += shown->weak ? 1 : 0;
  at->smallest_error = std::min(at->smallest_error, shown->smallest_error);
}

bool uncovered(const ClassCount& count) {
  if (count.judged > 0) return false;
  if (count.only_related) return count.drawn > 0;
  return count.drawn == 0 || count.applicable > 0;
}

std::vector<ClassCount> not_covered(const RunResult& result) {
  std::vector<ClassCount> missed;
  if (result.finding || result.stopped) return missed;
  std::ranges::copy_if(result.coverage, std::back_inserter(missed), uncovered);
  return missed;
}

}  // namespace shardproof
