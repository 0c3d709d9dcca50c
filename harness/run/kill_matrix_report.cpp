#include <fmt/format.h>

#include <algorithm>

#include "case/json_text.h"
#include "shardproof/run/kill_matrix.h"

namespace shardproof {
namespace {

std::string percent(int part, int whole) {
  // Rounded down: what is printed is kept.
  return whole == 0 ? "-" : fmt::format("{} %", 100LL * part / whole);
}

std::string joined(const std::vector<std::string>& names, const char* between) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

std::string causes_of(const MutantResult& result) {
  if (!result.finding) return "";
  std::vector<std::string> formulas;
  for (const Cause& cause : result.finding->diagnosis.causes) formulas.push_back(cause.formula);
  return joined(formulas, "; ");
}

std::string summary_lines(const KillMatrix& matrix) {
  const KillSummary s = summary(matrix);
  std::string text = fmt::format(
      "seed {}: {} of {} wrong subjects refuted, {} of {} numeric ones\n"
      "executions to find a numeric one: median {}, at most {}; to shrink it: median {}, at most "
      "{}\n"
      "the cause of one that was reported is named for {} of {} ({}), and named alone for {} "
      "({})\n",
      matrix.seed, s.refuted, s.mutants, s.numeric_refuted, s.numeric, s.median_executions_to_find,
      s.most_executions_to_find, s.median_executions_to_shrink, s.most_executions_to_shrink,
      s.named, s.reported, percent(s.named, s.reported), s.named_alone,
      percent(s.named_alone, s.reported));
  if (!s.numeric_survivors.empty()) {
    text += "SURVIVED: " + joined(s.numeric_survivors, ", ") + '\n';
  }
  return text;
}

std::string law_lines(const KillMatrix& matrix) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (const NeededLaw& law : needed_laws(matrix)) {
    std::vector<std::string> only = law.only_it_refutes;
    const std::size_t count = only.size();
    if (count > kShown) only.resize(kShown);
    text += count == 0
                ? fmt::format("NOT NEEDED: {}\n", law.law)
                : fmt::format("{}: alone refutes {}{}\n", law.law, joined(only, ", "),
                              count > kShown ? fmt::format(" and {} more", count - kShown) : "");
  }
  return text;
}

std::string row_of(const MutantResult& result) {
  if (!result.finding) return fmt::format("  {:36}survived\n", result.mutant.subject);
  const Finding& finding = *result.finding;
  return fmt::format("  {:36}{:6} to find {:6} to shrink   {}\n", result.mutant.subject,
                     finding.executions_to_find, finding.executions_to_shrink, finding.property);
}

const Kill* kill_by(const MutantResult& result, const Property& property) {
  const auto found = std::ranges::find(result.kills, property.name, &Kill::property);
  return found == result.kills.end() ? nullptr : &*found;
}

std::string kills_json(const MutantResult& result) {
  std::string text;
  for (const Kill& kill : result.kills) {
    text += fmt::format("{}{{\"property\": {}, \"case\": {}, \"executions\": {}}}",
                        text.empty() ? "" : ", ", json_string(kill.property), kill.case_index,
                        kill.executions);
  }
  return text;
}

std::string causes_json(const MutantResult& result) {
  std::string text;
  if (!result.finding) return text;
  for (const Cause& cause : result.finding->diagnosis.causes) {
    text += (text.empty() ? "" : ", ") + json_string(cause.formula);
  }
  return text;
}

std::string mutant_json(const MutantResult& result) {
  std::string text = fmt::format("    {{\"subject\": {}, \"what\": {}, \"numeric\": {}",
                                 json_string(result.mutant.subject),
                                 json_string(result.mutant.what), result.mutant.numeric);
  if (!result.mutant.cause.empty()) text += ", \"cause\": " + json_string(result.mutant.cause);
  if (result.finding) {
    text += fmt::format(
        ", \"found_by\": {}, \"case\": {}, \"executions_to_find\": {}, \"executions_to_shrink\": "
        "{}, \"causes\": [{}]",
        json_string(result.finding->property), result.finding->case_index,
        result.finding->executions_to_find, result.finding->executions_to_shrink,
        causes_json(result));
  }
  return text + fmt::format(", \"alone\": [{}]}}", kills_json(result));
}

std::string laws_json(const KillMatrix& matrix) {
  std::string text;
  for (const NeededLaw& law : needed_laws(matrix)) {
    std::string subjects;
    for (const std::string& subject : law.only_it_refutes) {
      subjects += (subjects.empty() ? "" : ", ") + json_string(subject);
    }
    text += fmt::format("{}    {{\"law\": {}, \"only_it_refutes\": [{}]}}",
                        text.empty() ? "" : ",\n", json_string(law.law), subjects);
  }
  return text;
}

}  // namespace

std::string text_report(const KillMatrix& matrix) {
  std::string text;
  for (const MutantResult& result : matrix.mutants) text += row_of(result);
  return text + brief_report(matrix);
}

std::string brief_report(const KillMatrix& matrix) {
  return law_lines(matrix) + summary_lines(matrix);
}

std::string markdown_report(const KillMatrix& matrix) {
  std::string text = fmt::format(
      "# Kill matrix\n\nWhich property refutes which wrong subject, each property alone on the "
      "first {} cases: executions until then.\n\n| subject | to find | to shrink | causes |",
      matrix.cases);
  std::string rule = "\n|---|---|---|---|";
  for (const Property& property : matrix.properties) {
    text += fmt::format(" {} |", property.name);
    rule += "---|";
  }
  text += rule + '\n';
  for (const MutantResult& result : matrix.mutants) {
    const bool found = result.finding.has_value();
    text += fmt::format("| {} | {} | {} | {} |", result.mutant.subject,
                        found ? std::to_string(result.finding->executions_to_find) : "survived",
                        found ? std::to_string(result.finding->executions_to_shrink) : "",
                        causes_of(result));
    for (const Property& property : matrix.properties) {
      const Kill* kill = kill_by(result, property);
      text += kill == nullptr ? " |" : fmt::format(" {} |", kill->executions);
    }
    text += '\n';
  }
  return text + "\n```\n" + law_lines(matrix) + summary_lines(matrix) + "```\n";
}

std::string json_report(const KillMatrix& matrix) {
  const KillSummary s = summary(matrix);
  std::string text = fmt::format(
      "{{\n  \"format\": \"shardproof.kill-matrix\",\n  \"version\": 1,\n  \"seed\": {},\n"
      "  \"summary\": {{\"subjects\": {}, \"refuted\": {}, \"numeric\": {}, \"numeric_refuted\": "
      "{}, \"median_executions_to_find\": {}, \"most_executions_to_find\": {}, "
      "\"median_executions_to_shrink\": {}, \"most_executions_to_shrink\": {}, \"reported\": {}, "
      "\"named\": {}, \"named_alone\": {}}},\n  \"laws\": [\n{}\n  ],\n  \"subjects\": [\n",
      matrix.seed, s.mutants, s.refuted, s.numeric, s.numeric_refuted, s.median_executions_to_find,
      s.most_executions_to_find, s.median_executions_to_shrink, s.most_executions_to_shrink,
      s.reported, s.named, s.named_alone, laws_json(matrix));
  for (std::size_t i = 0; i < matrix.mutants.size(); ++i) {
    text += mutant_json(matrix.mutants[i]) + (i + 1 < matrix.mutants.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

}  // namespace shardproof
