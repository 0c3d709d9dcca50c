#include <limits>

#include "case/case_json.h"
#include "case/json_reader.h"
#include "judge/given.h"
#include "run/cases_file_parts.h"
#include "shardproof/case/error.h"
#include "shardproof/run/cases_file.h"
#include "subject/program/hello.h"

namespace shardproof {
namespace {

constexpr auto kMostNumbers = static_cast<std::size_t>(kMaxElements);
constexpr std::int64_t kMostCases = 1 << 24;

struct Header {
  CasesFile file;
  std::int64_t cases = 0;
};

void expect_word(JsonReader& reader, std::string_view word) {
  if (reader.string() != word) reader.refuse("\"" + std::string(word) + "\" is due");
}

Header read_header(std::string_view line, const std::string& place) {
  JsonReader reader(line, place, JsonReader::Text::line);
  Header header;
  reader.object({
      {"shardproof",
       [&] {
         const std::int64_t version = reader.integer(0, std::numeric_limits<std::int64_t>::max());
         if (version != kProtocolVersion) {
           reader.refuse("is " + std::to_string(version) + "; this program reads version " +
                         std::to_string(kProtocolVersion));
         }
       }},
      {"type", [&] { expect_word(reader, "cases"); }},
      {"kind",
       [&] {
         const std::string kind = reader.string();
         if (kind != "reducer" && kind != "train_step") reader.refuse("is no kind of cases");
         header.file.kind = kind == "reducer" ? SubjectKind::reducer : SubjectKind::train_step;
       }},
      {"claim", [&] { header.file.claim = reader.string(); }},
      {"seed", [&] { header.file.seed = reader.natural(); }},
      {"cases", [&] { header.cases = reader.integer(1, kMostCases); }},
      {"digest", [&] { header.file.digest = reader.string(); }},
  });
  reader.end();
  return header;
}

GivenContributions read_contributions(JsonReader& reader) {
  GivenContributions given;
  const auto read_item = [&] {
    GivenContributions::Item item;
    reader.object({{"gradient",
                    [&] {
                      reader.array(kMostNumbers, [&] {
                        const std::vector<double> leaf = reader.numbers(kMostNumbers);
                        item.gradient.insert(item.gradient.end(), leaf.begin(), leaf.end());
                      });
                    }},
                   {"loss", [&] { item.loss = reader.number(); }},
                   {"valid", [&] { reader.skip(); }},
                   {"rows", [&] { reader.skip(); }},
                   {"absent", [&] { reader.skip(); }}});
    return item;
  };
  reader.array(kMaxSteps, [&] {
    auto& step = given.items.emplace_back();
    reader.object({{"ranks", [&] {
                      reader.array(kMaxWorldSize, [&] {
                        auto& rank = step.emplace_back();
                        reader.object({{"micro_batches", [&] {
                                          reader.array(kMaxMicroBatches,
                                                       [&] { rank.push_back(read_item()); });
                                        }}});
                      });
                    }}});
  });
  return given;
}

void set_purpose(JsonReader& reader, StoredCase& stored) {
  const std::string text = reader.string();
  if (text == kBase) {
    stored.purpose = StoredCase::Purpose::base;
  } else if (text == kDiscriminating) {
    stored.purpose = StoredCase::Purpose::discriminating;
  } else if (text.starts_with(kRelated)) {
    stored.purpose = StoredCase::Purpose::related;
    stored.property = text.substr(kRelated.size());
  } else {
    reader.refuse("is no purpose of a case");
  }
}

StoredCase read_case_line(std::string_view line, const std::string& place, SubjectKind kind,
                          std::uint64_t id) {
  JsonReader reader(line, place, JsonReader::Text::line);
  StoredCase stored;
  const auto skip = [&] { reader.skip(); };
  reader.object({
      {"type", [&] { expect_word(reader, "case"); }},
      {"id",
       [&] {
         if (reader.natural() != id) reader.refuse("is not " + std::to_string(id));
       }},
      {"world", skip},
      {"dtype", skip},
      {"gradient_dtype", skip},
      {"result_dtype", skip},
      {"ranks", skip},
      {"leaves", skip},
      {"learning_rate", skip, kind == SubjectKind::train_step},
      {"parameters", skip, kind == SubjectKind::train_step},
      {"steps",
       [&] {
         if (kind == SubjectKind::train_step) return reader.skip();
         stored.handed_in = std::make_shared<const GivenContributions>(read_contributions(reader));
       }},
      {"purpose", [&] { set_purpose(reader, stored); }},
      {"case", [&] { stored.problem = std::make_shared<const Case>(read_case(reader)); }},
  });
  reader.end();
  return stored;
}

void check_case_in_file(const StoredCase& stored, const Claim& claim, const std::string& place) {
  try {
    validate(*stored.problem);
    if (const auto why = excluded_by(claim, *stored.problem)) {
      throw InputError("", "the case lies outside the claim: " + *why);
    }
    if (stored.handed_in == nullptr) return;
    Case problem = *stored.problem;
    problem.given = stored.handed_in;
    check_given(problem, claim.input, role_dtypes(claim, problem.dtype).gradient);
  } catch (const InputError& error) {
    throw InputError(place, error.what());
  }
}

}  // namespace

bool FileLines::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) throw InputError(place(), "is cut off");
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return true;
}

std::string FileLines::place() const {
  return std::string(file_) + ": line " + std::to_string(number_);
}

CasesFile parse_cases(std::string_view text, std::string_view place) {
  FileLines lines(text, place);
  if (!lines.next()) throw InputError(place, "is empty");
  Header header = read_header(lines.line(), lines.place());
  CasesFile& file = header.file;
  Claim claim;
  try {
    claim = with_settings(Claim{}, file.claim);
  } catch (const InputError& error) {
    throw InputError(lines.place(), error.what());
  }
  const std::string digest = digest_of(lines.rest());
  while (lines.next()) {
    file.cases.push_back(read_case_line(lines.line(), lines.place(), file.kind, file.cases.size()));
    check_case_in_file(file.cases.back(), claim, lines.place());
  }
  if (file.cases.size() != static_cast<std::size_t>(header.cases)) {
    throw InputError(place, "has " + std::to_string(file.cases.size()) + " cases of " +
                                std::to_string(header.cases));
  }
  if (digest != file.digest) throw InputError(place, "was changed: its digest does not fit");
  return std::move(file);
}

}  // namespace shardproof
