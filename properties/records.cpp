#include "shardproof/properties/records.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "shardproof/case/simpler.h"
#include "shardproof/properties/registry.h"
#include "small_bases.h"

namespace shardproof {
namespace {

/// So many bases are looked at beside the discriminating cases to tell causes apart.
constexpr std::size_t kBasesForDiagnosis = 100;

std::vector<Case> related_of(const Property& property, const Premise& premise) {
  if (!property.related || (property.excluded && property.excluded(premise))) return {};
  return property.related(premise);
}

SharedCase shared(Case problem) { return std::make_shared<const Case>(std::move(problem)); }

bool all_on_record(const Recorded& subject, const Case& base,
                   std::span<const Property> properties) {
  if (!subject.has(base)) return false;
  const Premise premise{subject.claim(), subject.kind(), base};
  for (const Property& property : properties) {
    for (const Case& related : related_of(property, premise)) {
      if (!subject.has(related)) return false;
    }
  }
  return true;
}

/// Before the others, some small ones of the dtypes that are among them.
void add_small(const Claim& claim, const DrawOptions& draw, std::vector<Case>& bases) {
  std::vector<Case> small;
  for (const Dtype dtype : all_dtypes()) {
    const auto largest = std::find_if(bases.rbegin(), bases.rend(),
                                      [&](const Case& problem) { return problem.dtype == dtype; });
    if (largest == bases.rend()) continue;
    std::ranges::move(small_bases(claim, draw, *largest), std::back_inserter(small));
  }
  std::ranges::stable_sort(small, is_simpler);
  bases.insert(bases.begin(), std::make_move_iterator(small.begin()),
               std::make_move_iterator(small.end()));
}

std::vector<Case> for_diagnosis(const Recorded& subject, std::span<const StoredCase> cases) {
  std::vector<Case> chosen;
  std::size_t bases = 0;
  for (const StoredCase& stored : cases) {
    if (stored.purpose == StoredCase::Purpose::related || !subject.has(*stored.problem)) continue;
    if (stored.purpose == StoredCase::Purpose::base && bases++ >= kBasesForDiagnosis) continue;
    chosen.push_back(*stored.problem);
  }
  return chosen;
}

}  // namespace

std::vector<StoredCase> cases_to_record(const Claim& claim, SubjectKind kind,
                                        const RecordingOptions& options) {
  std::vector<Case> bases;
  for (int i = 0; i < options.cases; ++i) {
    bases.push_back(draw_case(options.seed, i, claim, kind, options.draw));
  }
  std::ranges::stable_sort(bases, is_simpler);
  std::vector<Case> discriminating =
      diagnosis_cases(claim, kind, bases[bases.size() / 2], bases.back());
  add_small(claim, options.draw, bases);
  std::vector<StoredCase> stored;
  for (Case& base : bases) {
    const SharedCase problem = shared(std::move(base));
    stored.push_back({.problem = problem});
    const Premise premise{claim, kind, *problem};
    for (const Property& property : all_properties()) {
      for (Case& related : related_of(property, premise)) {
        stored.push_back({.purpose = StoredCase::Purpose::related,
                          .property = property.name,
                          .problem = shared(std::move(related))});
      }
    }
  }
  for (Case& problem : discriminating) {
    stored.push_back(
        {.purpose = StoredCase::Purpose::discriminating, .problem = shared(std::move(problem))});
  }
  return stored;
}

JudgedRecords judge_records(Recorded& subject, std::span<const StoredCase> cases,
                            std::span<const Property> properties) {
  JudgedRecords judged;
  std::vector<SharedCase> bases;
  for (const StoredCase& stored : cases) {
    if (stored.purpose != StoredCase::Purpose::base) continue;
    if (all_on_record(subject, *stored.problem, properties)) {
      bases.push_back(stored.problem);
    } else {
      ++judged.left_out;
    }
  }
  const RunOptions options{
      .cases = static_cast<int>(bases.size()),
      .draw = [&](int index) { return *bases[static_cast<std::size_t>(index)]; },
      .draw_for_diagnosis = [&](const Finding&) { return for_diagnosis(subject, cases); },
      // A simpler case would have been judged before.
      .admits = [](const Case&) { return false; }};
  judged.result = run(subject, properties, options);
  if (judged.result.finding) judged.result.finding->fully_shrunk = false;
  return judged;
}

}  // namespace shardproof
