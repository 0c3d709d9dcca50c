#include <cmath>
#include <string>

#include "case/case_json.h"
#include "case/json_text.h"
#include "run/report_parts.h"

namespace shardproof {
namespace {

class Object {
 public:
  explicit Object(int indent) : indent_(static_cast<std::size_t>(indent)) {}

  Object& raw(std::string_view key, const std::string& value) {
    text_ += text_.empty() ? "{\n" : ",\n";
    text_ += std::string(indent_ + 2, ' ') + json_string(key) + ": " + value;
    return *this;
  }
  Object& text(std::string_view key, std::string_view value) {
    return raw(key, json_string(value));
  }
  Object& count(std::string_view key, std::int64_t value) {
    return raw(key, std::to_string(value));
  }
  Object& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  [[nodiscard]] std::string str() const {
    return text_.empty() ? "{}" : text_ + '\n' + std::string(indent_, ' ') + '}';
  }

 private:
  std::size_t indent_;
  std::string text_;
};

std::string_view lower(Standing now) {
  switch (now) {
    case Standing::passed:
      return "passed";
    case Standing::failed:
      return "failed";
    case Standing::skipped:
      break;
  }
  return "skipped";
}

template <class Items, class Render>
std::string lines(const Items& items, int indent, const Render& render) {
  if (items.empty()) return "[]";
  std::string out = "[";
  for (const auto& item : items) {
    out +=
        (out.size() == 1 ? "\n" : ",\n") + std::string(static_cast<std::size_t>(indent) + 2, ' ');
    out += render(item);
  }
  return out + '\n' + std::string(static_cast<std::size_t>(indent), ' ') + ']';
}

std::string tally_json(const Tally& tally) {
  const Standing now = standing(tally);
  Object out(4);
  out.text("name", tally.property).text("result", lower(now));
  out.count("passed", tally.passed).count("failed", tally.failed).count("skipped", tally.skipped);
  if (now == Standing::skipped) out.text("reason", skip_reason(tally));
  return out.str();
}

std::string power_json(const ClassPower& power) {
  Object out(4);
  out.text("dtype", name(power.dtype)).count("ranks", power.world);
  out.count("judged", power.judged).count("weak", power.weak);
  // Null: no error, however large, was certain to show.
  return out
      .raw("smallest_error",
           std::isinf(power.smallest_error) ? "null" : json_number(power.smallest_error))
      .str();
}

std::string coverage_json(const ClassCount& count) {
  Object out(4);
  out.text("class", count.name).count("executed", count.drawn).count("judged", count.judged);
  return out.flag("missing", uncovered(count)).str();
}

std::string failure_json(const Failure& failure, int indent) {
  Object out(indent);
  out.text("kind", name(failure.kind)).count("step", failure.step);
  if (failure.rank) out.count("rank", failure.rank->index);
  out.flag("every_rank", failure.every_rank).text("element", failure.element);
  if (failure.returned) out.raw("returned", json_number(*failure.returned));
  out.text("exact", failure.exact).text("limit", failure.limit).text("basis", failure.basis);
  if (!failure.log.empty()) out.text("log", failure.log);
  return out.text("sentence", failure.sentence).str();
}

std::string sighting_json(const Sighting& sighting, const std::string& file) {
  Object out(4);
  out.raw("failure", failure_json(sighting.failure, 6));
  if (!file.empty()) out.text("file", file);
  return out.raw("case", case_json(*sighting.problem, 6)).str();
}

std::string cause_json(const Cause& cause) {
  Object out(6);
  out.text("fault", cause.name);
  out.text("formula", cause.formula).text("meaning", cause.meaning).text("where", cause.where);
  out.text("effect", cause.effect).text("fix", cause.fix);
  out.count("values", cause.values).count("cases", cause.cases).count("unseen", cause.unseen);
  return out.str();
}

std::string finding_json(const ReportHeader& header, const Finding& finding) {
  Object out(2);
  out.text("property", finding.property);
  out.raw("also", lines(finding.also, 4, [](const auto& name) { return json_string(name); }));
  out.count("case_index", finding.case_index);
  out.count("executions_to_find", finding.executions_to_find);
  out.count("executions_to_shrink", finding.executions_to_shrink);
  out.flag("fully_shrunk", finding.fully_shrunk);
  out.count("repeat_runs", finding.repeats.runs).count("repeat_shown", finding.repeats.shown);
  out.flag("depends_on_earlier", finding.depends_on_earlier);
  out.raw("causes", lines(finding.diagnosis.causes, 4, cause_json));
  out.raw("observed",
          lines(finding.diagnosis.observed, 4, [](const auto& line) { return json_string(line); }));
  out.raw("found", sighting_json(finding.found, header.found_file));
  return out.raw("minimal", sighting_json(finding.minimal, header.minimal_file)).str();
}

}  // namespace

std::string json_report(const ReportHeader& header, const RunResult& result) {
  Object out(0);
  out.text("format", "shardproof.report").count("version", 1);
  out.text("subject", header.subject);
  out.text("kind", header.kind == SubjectKind::reducer ? "reducer" : "train_step");
  out.text("claim", settings(header.claim)).raw("seed", std::to_string(header.seed));
  out.count("cases", result.cases).count("executions", result.executions);
  out.flag("stopped", result.stopped);
  out.raw("properties", lines(result.tallies, 2, tally_json));
  out.raw("power", lines(result.power, 2, power_json));
  out.raw("coverage", lines(result.coverage, 2, coverage_json));
  out.raw("finding", result.finding ? finding_json(header, *result.finding) : "null");
  return out.str() + '\n';
}

}  // namespace shardproof
