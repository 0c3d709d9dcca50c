#include <numeric>

#include "case/case_json.h"
#include "case/json_text.h"
#include "run/cases_file_parts.h"
#include "shardproof/run/cases_file.h"
#include "subject/program/case_message.h"
#include "subject/program/hello.h"

namespace shardproof {
namespace {

/// `text` without line ends and what indents the lines. \pre no string in it holds a line end
std::string on_one_line(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      out += text[i];
      continue;
    }
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
  }
  return out;
}

std::string purpose_text(const StoredCase& stored) {
  switch (stored.purpose) {
    case StoredCase::Purpose::base:
      return std::string(kBase);
    case StoredCase::Purpose::related:
      return std::string(kRelated) + stored.property;
    case StoredCase::Purpose::discriminating:
      return std::string(kDiscriminating);
  }
  return {};
}

std::string line_of(const StoredCase& stored, std::size_t id, SubjectKind kind,
                    const Claim& claim) {
  const Case& problem = *stored.problem;
  const SharedShape shape = tree_shape(problem.model);
  std::vector<int> ranks(static_cast<std::size_t>(problem.world_size().value));
  std::iota(ranks.begin(), ranks.end(), 0);
  AllContributions contributions;
  if (kind == SubjectKind::reducer)
    contributions = all_contributions(problem, claim.input, claim.gradient);
  std::string line = case_message(id, problem, *shape, claim,
                                  kind == SubjectKind::reducer ? &contributions : nullptr, ranks);
  line.resize(line.size() - 2);  // "}\n"
  line += R"(,"purpose":)" + json_string(purpose_text(stored));
  return line + R"(,"case":)" + on_one_line(case_json(problem, 0)) + "}\n";
}

}  // namespace

std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(hash >> shift) & 15U];
  return out;
}

std::string to_json_lines(const CasesFile& file) {
  const Claim claim = with_settings(Claim{}, file.claim);
  std::string lines;
  for (std::size_t id = 0; id < file.cases.size(); ++id) {
    lines += line_of(file.cases[id], id, file.kind, claim);
  }
  std::string header = R"({"shardproof":)" + std::to_string(kProtocolVersion);
  header += R"(,"type":"cases","kind":)";
  header += file.kind == SubjectKind::reducer ? R"("reducer")" : R"("train_step")";
  header += R"(,"claim":)" + json_string(file.claim) + R"(,"seed":)" + std::to_string(file.seed);
  header += R"(,"cases":)" + std::to_string(file.cases.size());
  header += R"(,"digest":")" + digest_of(lines) + "\"}\n";
  return header + lines;
}

}  // namespace shardproof
