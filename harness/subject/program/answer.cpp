#include "subject/program/answer.h"

#include <algorithm>
#include <utility>

#include "case/json_reader.h"
#include "shardproof/case/error.h"
#include "subject/program/answer_results.h"
#include "subject/program/lines.h"

namespace shardproof {
namespace {

/// An error on purpose or not, as it stands in an answer.
struct Refusal {
  int rank = 0;
  int step = 0;
  std::string message;
};

/// One line being read. A line says what it is and to which case it belongs before all else or
/// after it: what the results have to fit is the same in either case.
class AnswerReader {
 public:
  AnswerReader(std::string_view line, const Question& question)
      : reader_(line, "", JsonReader::Text::line), question_(question) {
    if (!question.ranks.empty()) place_.rank = question.ranks.front();
  }

  Answer read() {
    std::vector<std::vector<RankResult>> results;
    bool with_results = false;
    bool with_message = false;
    Refusal refusal{.rank = place_.rank, .message = {}};
    reader_.object({
        {"type", [&] { type_ = reader_.string(); }},
        {"id", [&] { read_id(); }},
        {"steps",
         [&] {
           results = read_results(reader_, question_, place_);
           with_results = true;
         },
         false},
        {"ranks", [&] { reader_.skip(); }, false},  // in files only: whoever reads them asks before
        {"rank", [&] { refusal.rank = read_below(question_.world.value); }, false},
        {"step", [&] { refusal.step = read_below(question_.steps); }, false},
        {"message",
         [&] {
           refusal.message = reader_.string();
           with_message = true;
         },
         false},
    });
    reader_.end();
    if (type_ == "result") {
      if (!with_results) reader_.refuse("key \"steps\" is missing");
      return {.what = std::move(results)};
    }
    if (type_ != "declined" && type_ != "error") {
      reader_.refuse("type " + beginning_of(type_) + " is none; known: result, declined, error");
    }
    if (!with_message) reader_.refuse("key \"message\" is missing");
    return {.what = outcome_of(std::move(refusal))};
  }

  /// Whether the line had said that it answers this question, as far as it was read.
  [[nodiscard]] bool answers() const { return right_id_; }
  [[nodiscard]] PlaceInAnswer place() const { return place_; }

 private:
  void read_id() {
    const std::uint64_t id = reader_.natural();
    right_id_ = id == question_.id;
    if (right_id_) return;
    reader_.refuse("case " + std::to_string(question_.id) + " was asked, this answers case " +
                   std::to_string(id) + (id < question_.id ? " again" : ""));
  }

  int read_below(int limit) { return static_cast<int>(reader_.integer(0, limit - 1)); }

  [[nodiscard]] Outcome outcome_of(Refusal refusal) const {
    const Rank rank{refusal.rank};
    if (type_ == "declined") return Declined{rank, refusal.step, std::move(refusal.message)};
    return Threw{rank, refusal.step, std::move(refusal.message)};
  }

  JsonReader reader_;
  const Question& question_;
  std::string type_;
  PlaceInAnswer place_;
  bool right_id_ = false;
};

}  // namespace

Answer read_answer(std::string_view line, const Question& question) {
  AnswerReader reader(line, question);
  try {
    return reader.read();
  } catch (const InputError& error) {
    Misbehaved misbehaved;
    misbehaved.rank = Rank{reader.place().rank};
    misbehaved.step = reader.place().step;
    misbehaved.what =
        std::string("its answer: ") + error.what() + "; it begins with " + beginning_of(line);
    return {.what = Outcome(std::move(misbehaved)), .in_step = reader.answers()};
  }
}

std::size_t longest_answer(const Question& question) {
  constexpr std::size_t kRoom = std::size_t{1} << 20;
  constexpr std::size_t kLongestNumber = 64;
  return kRoom + kLongestNumber * static_cast<std::size_t>(question.steps) *
                     std::max<std::size_t>(question.ranks.size(), 1) * 2 *
                     (question.shape->size + 1);
}

}  // namespace shardproof
