#include <algorithm>
#include <limits>
#include <numeric>

#include "case/json_reader.h"
#include "run/cases_file_parts.h"
#include "shardproof/case/error.h"
#include "shardproof/run/cases_file.h"
#include "subject/program/answer.h"
#include "subject/program/case_message.h"
#include "subject/program/hello.h"

namespace shardproof {
namespace {

ProgramKind read_kind(JsonReader& reader, SubjectKind of_cases) {
  const std::string kind = reader.string();
  const bool reducer = of_cases == SubjectKind::reducer;
  if (reducer && kind == "reducer") return ProgramKind::reducer;
  if (reducer && kind == "all_at_once") return ProgramKind::all_at_once;
  if (!reducer && kind == "train_step") return ProgramKind::train_step;
  reader.refuse("is not the kind of the cases");
}

/// \return the kind of the results
ProgramKind read_results_header(std::string_view line, const std::string& place,
                                const CasesFile& cases) {
  JsonReader reader(line, place, JsonReader::Text::line);
  ProgramKind kind =
      cases.kind == SubjectKind::reducer ? ProgramKind::reducer : ProgramKind::train_step;
  reader.object({
      {"shardproof",
       [&] {
         const std::int64_t version = reader.integer(0, std::numeric_limits<std::int64_t>::max());
         if (version != kProtocolVersion) {
           reader.refuse("is " + std::to_string(version) + "; this program reads version " +
                         std::to_string(kProtocolVersion));
         }
       }},
      {"type",
       [&] {
         if (reader.string() != "results") reader.refuse("\"results\" is due");
       }},
      {"kind", [&] { kind = read_kind(reader, cases.kind); }, false},
      {"digest",
       [&] {
         if (reader.string() != cases.digest) reader.refuse("these are results of other cases");
       }},
  });
  reader.end();
  return kind;
}

/// To which case a line belongs, and whose results it holds.
struct Belonging {
  std::uint64_t id = 0;
  std::vector<int> ranks{};  ///< empty: all
};

Belonging belonging_of(std::string_view line, const std::string& place) {
  JsonReader reader(line, place, JsonReader::Text::line);
  Belonging found;
  bool with_id = false;
  reader.members([&](const std::string& key) {
    if (key == "id") {
      found.id = reader.natural();
      with_id = true;
    } else if (key == "ranks") {
      reader.array(kMaxWorldSize, [&] {
        found.ranks.push_back(static_cast<int>(reader.integer(0, kMaxWorldSize - 1)));
      });
    } else {
      reader.skip();
    }
  });
  reader.end();
  if (!with_id) reader.refuse("key \"id\" is missing");
  return found;
}

/// The results of one case while they are read.
struct Gathered {
  std::vector<bool> there{};  ///< [rank]
  std::vector<std::vector<RankResult>> results{};
  std::optional<Outcome> failure{};
};

class ResultsReader {
 public:
  ResultsReader(const CasesFile& cases, ProgramKind kind)
      : cases_(cases),
        claim_(with_settings(Claim{}, cases.claim)),
        kind_(kind),
        gathered_(cases.cases.size()) {}

  void read(std::string_view line, const std::string& place) {
    const Belonging belonging = belonging_of(line, place);
    if (belonging.id >= gathered_.size()) {
      throw InputError(place, "there is no case " + std::to_string(belonging.id));
    }
    const Question question = question_of(belonging, place);
    Gathered& gathered = gathered_[belonging.id];
    for (const int rank : question.ranks) {
      if (gathered.there[static_cast<std::size_t>(rank)]) {
        throw InputError(place, "the result of case " + std::to_string(belonging.id) + ", rank " +
                                    std::to_string(rank) + ", is there twice");
      }
      gathered.there[static_cast<std::size_t>(rank)] = true;
    }
    take(read_answer(line, question), question, gathered);
  }

  std::vector<std::optional<Outcome>> outcomes() && {
    std::vector<std::optional<Outcome>> all;
    for (std::size_t id = 0; id < gathered_.size(); ++id) all.push_back(outcome_of(id));
    return all;
  }

 private:
  Question question_of(const Belonging& belonging, const std::string& place) {
    const Case& problem = *cases_.cases[belonging.id].problem;
    const auto world = static_cast<std::size_t>(problem.world_size().value);
    Gathered& gathered = gathered_[belonging.id];
    gathered.there.resize(world);
    gathered.results.resize(problem.steps.size(), std::vector<RankResult>(world));
    Question question{.id = belonging.id,
                      .kind = kind_,
                      .shape = tree_shape(problem.model),
                      .result = role_dtypes(claim_, problem.dtype).output,
                      .pieces = claim_.result == Result::pieces,
                      .parameters = problem.dtype,
                      .steps = static_cast<int>(problem.steps.size()),
                      .world = problem.world_size(),
                      .ranks = belonging.ranks};
    for (const int rank : question.ranks) {
      if (rank >= problem.world_size().value) {
        throw InputError(
            place, "case " + std::to_string(belonging.id) + " has no rank " + std::to_string(rank));
      }
    }
    if (question.ranks.empty()) {
      question.ranks.resize(world);
      std::iota(question.ranks.begin(), question.ranks.end(), 0);
    }
    return question;
  }

  static void take(Answer answer, const Question& question, Gathered& gathered) {
    if (auto* failure = std::get_if<Outcome>(&answer.what)) {
      if (!gathered.failure) gathered.failure = std::move(*failure);
      return;
    }
    auto& steps = std::get<0>(answer.what);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      for (std::size_t i = 0; i < steps[s].size(); ++i) {
        gathered.results[s][static_cast<std::size_t>(question.ranks[i])] = std::move(steps[s][i]);
      }
    }
  }

  std::optional<Outcome> outcome_of(std::size_t id) {
    Gathered& gathered = gathered_[id];
    if (gathered.failure) return std::move(gathered.failure);
    if (gathered.there.empty() ||
        std::ranges::find(gathered.there, false) != gathered.there.end()) {
      return std::nullopt;
    }
    Returned returned;
    returned.results = std::move(gathered.results);
    if (cases_.kind == SubjectKind::reducer) {
      Case problem = *cases_.cases[id].problem;
      problem.given = cases_.cases[id].handed_in;
      returned.contributions = all_contributions(problem, claim_.input, claim_.gradient);
    }
    return returned;
  }

  const CasesFile& cases_;
  Claim claim_;
  ProgramKind kind_;
  std::vector<Gathered> gathered_;
};

}  // namespace

std::vector<std::optional<Outcome>> parse_results(std::string_view text, std::string_view place,
                                                  const CasesFile& cases) {
  FileLines lines(text, place);
  if (!lines.next()) throw InputError(place, "is empty");
  ResultsReader reader(cases, read_results_header(lines.line(), lines.place(), cases));
  while (lines.next()) {
    // The files of several ranks may stand one behind the other.
    if (lines.line().starts_with("{\"shardproof\"")) {
      read_results_header(lines.line(), lines.place(), cases);
    } else {
      reader.read(lines.line(), lines.place());
    }
  }
  return std::move(reader).outcomes();
}

}  // namespace shardproof
