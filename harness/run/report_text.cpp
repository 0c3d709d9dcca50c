#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/report_parts.h"

namespace shardproof {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// `refuted` is said of proofs only: numbers and bits. The rest says what happened.
std::string kind_of_failure(FailureKind kind) {
  switch (kind) {
    case FailureKind::threw:
    case FailureKind::deadlocked:
    case FailureKind::crashed:
    case FailureKind::misbehaved:
    case FailureKind::declined:
      return std::string(name(kind));
    case FailureKind::hung:
      return "hung, which is no proof";
    default:
      return "refuted";
  }
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    out += "  ";
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

/// How many known faults fit, said where it is not one.
std::string rivals(std::size_t causes) {
  if (causes == 1) return "no other known fault fits";
  const auto others = static_cast<std::int64_t>(causes) - 1;
  return counted(others, "other known fault") + (others == 1 ? " fits as well" : " fit as well");
}

std::string cause_text(const Cause& cause, std::size_t causes) {
  std::string out = "predicted by: " + cause.formula + ", " + cause.meaning + "; ";
  out += "all " + counted(cause.values, "wrong value") + " on " + counted(cause.cases, "case");
  if (cause.unseen > 0) {
    out += ", " + std::to_string(cause.unseen) + " of them not fitted to";
  }
  out += "; " + rivals(causes) + '\n';
  if (!cause.where.empty()) out += "where: " + cause.where + '\n';
  if (!cause.effect.empty()) out += "effect: " + cause.effect + '\n';
  return out + "usual fix: " + cause.fix + '\n';
}

/// Said of a subject that does not always fail on the case that was found.
std::string repeats_text(const Finding& finding) {
  const Repeats& repeats = finding.repeats;
  if (finding.depends_on_earlier) {
    return "depends on earlier cases: begun anew, the subject did not show it in " +
           counted(repeats.runs - 1, "run") + " of this case; not shrunk\n";
  }
  if (repeats.steady()) return "";
  std::string out = "unsteady: on the case that was found it showed in " +
                    std::to_string(repeats.shown) + " of " + counted(repeats.runs, "run");
  if (repeats.shown == 1) out += ", and never again";
  return out + "; shrunk by the majority of five runs of each case\n";
}

std::string files(const ReportHeader& header) {
  const std::string& file = header.minimal_file.empty() ? header.found_file : header.minimal_file;
  if (file.empty()) return "";
  return "saved " + file + "   replay: shardproof replay " + file + header.replay_with + '\n';
}

std::string tally_line(const Tally& tally, std::size_t width) {
  const Standing now = standing(tally);
  std::string out(word(now));
  out.resize(sizeof "SKIPPED" + 1, ' ');
  out += tally.property + std::string(width - tally.property.size() + 2, ' ');
  if (now == Standing::skipped) return out + skip_reason(tally) + '\n';
  out += std::to_string(tally.passed) + " passed";
  if (tally.failed > 0) out += ", " + std::to_string(tally.failed) + " failed";
  if (tally.skipped > 0) out += ", " + std::to_string(tally.skipped) + " not applicable";
  return out + '\n';
}

std::string tally_lines(const RunResult& result, bool only_failed) {
  std::size_t width = 0;
  for (const Tally& tally : result.tallies) width = std::max(width, tally.property.size());
  std::string out;
  for (const Tally& tally : result.tallies) {
    if (only_failed && standing(tally) != Standing::failed) continue;
    out += tally_line(tally, width);
  }
  return out;
}

/// A line for each dtype that was judged; one for all whose roles are the same.
std::string assumptions(const Claim& claim, const RunResult& result) {
  std::vector<std::pair<std::string, std::string>> lines;  // dtypes, and what was assumed
  std::optional<Dtype> before;
  for (const ClassPower& power : result.power) {
    if (before == power.dtype) continue;
    before = power.dtype;
    const std::string assumed = describe(claim, power.dtype);
    const auto same = std::ranges::find(lines, assumed, &decltype(lines)::value_type::second);
    if (same == lines.end()) {
      lines.emplace_back(name(power.dtype), assumed);
    } else {
      same->first.append(", ").append(name(power.dtype));
    }
  }
  std::string out;
  for (const auto& [dtypes, assumed] : lines) {
    out += "assumed, in " + dtypes + ": " + assumed + '\n';
  }
  return out;
}

std::string evidence_of(const ReportHeader& header, const RunResult& result) {
  if (result.finding || result.executions == 0) return "";
  const std::string missed = not_covered_text(result);
  return power_text(result) + (missed.empty() ? "" : "not covered: " + missed + '\n') +
         "nothing refuted, which is no proof\n" + assumptions(header.claim, result);
}

}  // namespace

Standing standing(const Tally& tally) {
  if (tally.failed > 0) return Standing::failed;
  return tally.passed > 0 ? Standing::passed : Standing::skipped;
}

std::string_view word(Standing standing) {
  switch (standing) {
    case Standing::passed:
      return "PASSED";
    case Standing::failed:
      return "FAILED";
    case Standing::skipped:
      break;
  }
  return "SKIPPED";
}

std::string skip_reason(const Tally& tally) {
  if (tally.skipped == 0) return "no case was judged";
  return tally.first_skip_reason.empty() ? "not applicable" : tally.first_skip_reason;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}

std::string finding_text(const ReportHeader& header, const Finding& finding) {
  const Case& problem = *finding.minimal.problem;
  std::string out = "FAILED (" + kind_of_failure(finding.minimal.failure.kind) + ")  ";
  out += finding.property + "   " + std::string(name(problem.dtype)) + ", ";
  out += counted(problem.world_size().value, "rank") + ", ";
  out += counted(finding.executions_to_find, "execution") + " to find, ";
  out += std::to_string(finding.executions_to_shrink) + " to shrink\n";
  std::string body = describe(problem, header.kind) + finding.minimal.failure.sentence + '\n';
  body += log_text(finding.minimal.failure.log);
  body += repeats_text(finding);
  body += describe(finding.diagnosis);
  if (!finding.also.empty()) body += "also fails: " + joined(finding.also) + '\n';
  if (!finding.fully_shrunk) body += "not fully shrunk: a simpler case may fail as well\n";
  body += "assumed: " + describe(header.claim, problem.dtype) + '\n' + files(header);
  return out + indented(body);
}

std::string describe(const Diagnosis& diagnosis) {
  std::string out;
  for (const Cause& cause : diagnosis.causes) out += cause_text(cause, diagnosis.causes.size());
  for (const std::string& line : diagnosis.observed) out += line + '\n';
  return out;
}

std::string text_report(const ReportHeader& header, const RunResult& result) {
  std::string out;
  if (result.finding) out += finding_text(header, *result.finding);
  out += "subject " + header.subject + ", seed " + std::to_string(header.seed) + ": " +
         counted(result.cases, "case") + ", " + counted(result.executions, "execution");
  if (result.finding) out += "; case " + std::to_string(result.finding->case_index) + " fails";
  if (result.stopped) out += "; stopped early";
  out += '\n';
  return out + tally_lines(result, header.brief) + evidence_of(header, result);
}

}  // namespace shardproof
