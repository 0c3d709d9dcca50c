#include "shardproof/properties/mutate.h"

#include "shardproof/generators/cases.h"
#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

/// Refuted by bits alone: every value is within its bound.
bool is_order_only(std::string_view builtin) {
  return builtin == "unequal-bits" || builtin == "changing-order";
}

MutantResult judged(const Mutant& mutant, std::span<const Property> properties,
                    const MutateOptions& options) {
  const std::unique_ptr<Subject> subject = make_builtin(mutant.subject);
  MutantResult result{.mutant = mutant};
  CheckOptions check_options{.seed = options.seed};
  check_options.run.cases = options.cases;
  check_options.run.shrink_budget = options.shrink_budget;
  const DrawOptions draw = check_options.draw;
  result.finding = check(*subject, std::move(check_options)).finding;
  if (options.matrix_cases == 0) return result;
  const auto drawn = [&](int index) {
    return draw_case(options.seed, index, subject->claim(), subject->kind(), draw);
  };
  result.kills = kills(*subject, properties, options.matrix_cases, drawn, Limits{});
  return result;
}

}  // namespace

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all;
  for (const ReportedFault& fault : reported_faults()) {
    if (!fault.left_out.empty()) continue;
    const KnownFault* known = find_known_fault(fault.known);
    all.push_back({"fault:" + fault.id, fault.what, known == nullptr ? "" : known->formula,
                   fault.numeric, true});
  }
  for (const KnownFault& fault : known_faults()) {
    all.push_back({"fault:" + fault.name, fault.meaning, fault.formula});
  }
  for (const BuiltinSubject& builtin : builtin_subjects()) {
    if (builtin.right) continue;
    all.push_back({builtin.name, builtin.summary, "", !is_order_only(builtin.name)});
  }
  return all;
}

KillMatrix mutate(std::span<const Mutant> mutants, const MutateOptions& options) {
  KillMatrix matrix{.seed = options.seed, .cases = options.matrix_cases};
  const auto properties = all_properties();
  matrix.properties.assign(properties.begin(), properties.end());
  for (const Mutant& mutant : mutants) {
    if (options.stop && options.stop()) break;
    matrix.mutants.push_back(judged(mutant, matrix.properties, options));
    if (options.on_progress) {
      options.on_progress(static_cast<int>(matrix.mutants.size()),
                          static_cast<int>(mutants.size()));
    }
  }
  return matrix;
}

}  // namespace shardproof
