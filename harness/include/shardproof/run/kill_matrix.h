#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardproof/run/run.h"

namespace shardproof {

/// A wrong subject, as a row of the matrix.
struct Mutant {
  std::string subject;    ///< a built-in name, `fault:A01`
  std::string what;       ///< one line
  std::string cause{};    ///< the formula of its known fault; empty where none is
  bool numeric = true;    ///< whether it must be refuted by default effort
  bool reported = false;  ///< whether it was seen in a real project
};

/// The first case on which one property refutes a subject, where nothing else is judged.
struct Kill {
  std::string property;
  int case_index = 0;
  int executions = 0;  ///< of the subject, the cases before it included
};

/// What refutes one wrong subject.
struct MutantResult {
  Mutant mutant;
  std::optional<Finding> finding{};  ///< by all properties together
  std::vector<Kill> kills{};         ///< by each of them alone, on the first cases
};

struct KillMatrix {
  std::uint64_t seed = 0;
  int cases = 0;  ///< on which every property was tried alone
  std::vector<Property> properties{};
  std::vector<MutantResult> mutants{};
};

/// Judges each property on the first `cases` cases of `draw`, each to its own first refutation.
std::vector<Kill> kills(Subject& subject, std::span<const Property> properties, int cases,
                        const std::function<Case(int index)>& draw, const Limits& limits);

/// A law and the subjects that no other property refutes on those cases. `matches_reference` is
/// what all views have in common, so that only the other laws count beside it.
struct NeededLaw {
  std::string law;
  std::vector<std::string> only_it_refutes;  ///< subjects
};
std::vector<NeededLaw> needed_laws(const KillMatrix& matrix);

/// How many mutants of what, and what became of them.
struct KillSummary {
  int mutants = 0;
  int refuted = 0;
  int numeric = 0;
  int numeric_refuted = 0;
  std::vector<std::string> numeric_survivors{};  ///< subjects
  int median_executions_to_find = 0;             ///< of the numeric ones that are refuted
  int most_executions_to_find = 0;
  int median_executions_to_shrink = 0;
  int most_executions_to_shrink = 0;
  /// Of numeric ones that were seen in a real project: how many, for how many their arithmetic is
  /// among the causes named, and for how many it is the only one.
  int reported = 0;
  int named = 0;
  int named_alone = 0;
};
KillSummary summary(const KillMatrix& matrix);

/// Whether every numeric mutant is refuted and every law is needed.
bool complete(const KillMatrix& matrix);

/// The matrix as lines for a terminal, as Markdown and as JSON; the same bytes for a seed.
std::string text_report(const KillMatrix& matrix);
std::string brief_report(const KillMatrix& matrix);  ///< of the first the end: laws and summary
std::string markdown_report(const KillMatrix& matrix);
std::string json_report(const KillMatrix& matrix);

}  // namespace shardproof
