#include <algorithm>
#include <string>

#include "case/json_text.h"
#include "run/report_parts.h"

namespace shardproof {
namespace {

// XML 1.0 has no way at all to write U+FFFE and U+FFFF, nor most control characters.
std::string as_xml_characters(std::string_view text) {
  std::string out = as_utf8(text);
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = 0; (at = out.find(none, at)) != std::string::npos;) {
      out.replace(at, none.size(), 1, '?');
    }
  }
  return out;
}

// Text and attribute values alike.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : as_xml_characters(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n') {
      out += "&#10;";
    } else {
      out += byte < 0x20 || byte == 0x7F ? '?' : c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + escaped(value) + '"';
}

std::string counts(const RunResult& result) {
  const auto number = [&](Standing wanted) {
    return std::to_string(std::ranges::count(result.tallies, wanted, standing));
  };
  const std::size_t errors = not_covered_text(result).empty() ? 0 : 1;
  return attribute("tests", std::to_string(result.tallies.size() + errors)) +
         attribute("failures", number(Standing::failed)) +
         attribute("errors", std::to_string(errors)) +
         attribute("skipped", number(Standing::skipped)) + attribute("time", "0");
}

std::string failure(const ReportHeader& header, const RunResult& result, const Tally& tally) {
  if (result.finding && result.finding->property == tally.property) {
    const Failure& shown = result.finding->minimal.failure;
    return "<failure" + attribute("message", shown.sentence) + attribute("type", name(shown.kind)) +
           '>' + escaped(finding_text(header, *result.finding)) + "</failure>";
  }
  const std::string with = result.finding ? "fails on the same case as " + result.finding->property
                                          : counted(tally.failed, "case") + " failed";
  return "<failure" + attribute("message", with) + attribute("type", "also") + "/>";
}

std::string test_case(const ReportHeader& header, const RunResult& result, const Tally& tally) {
  std::string out = "    <testcase" + attribute("classname", "shardproof." + header.subject) +
                    attribute("name", tally.property) + attribute("time", "0");
  switch (standing(tally)) {
    case Standing::passed:
      return out + "/>\n";
    case Standing::failed:
      return out + ">\n      " + failure(header, result, tally) + "\n    </testcase>\n";
    case Standing::skipped:
      break;
  }
  return out + ">\n      <skipped" + attribute("message", skip_reason(tally)) +
         "/>\n    </testcase>\n";
}

/// Classes that should have been covered: neither a failure of the subject nor a success of the
/// run.
std::string coverage_error(const ReportHeader& header, const RunResult& result) {
  const std::string missed = not_covered_text(result);
  if (missed.empty()) return "";
  return "    <testcase" + attribute("classname", "shardproof." + header.subject) +
         attribute("name", "coverage") + attribute("time", "0") + ">\n      <error" +
         attribute("message", "not covered: " + missed) + attribute("type", "coverage") +
         "/>\n    </testcase>\n";
}

}  // namespace

std::string junit_report(const ReportHeader& header, const RunResult& result) {
  const auto property = [](std::string_view name, std::string_view value) {
    return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  };
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    attribute("name", "shardproof") + counts(result) + ">\n  <testsuite" +
                    attribute("name", "shardproof." + header.subject) + counts(result) +
                    ">\n    <properties>\n";
  out += property("seed", std::to_string(header.seed));
  out += property("claim", settings(header.claim));
  out += property("cases", std::to_string(result.cases));
  out += property("executions", std::to_string(result.executions)) + "    </properties>\n";
  for (const Tally& tally : result.tallies) out += test_case(header, result, tally);
  out += coverage_error(header, result);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace shardproof
