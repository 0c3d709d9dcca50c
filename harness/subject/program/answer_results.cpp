#include "subject/program/answer_results.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "case/json_text.h"
#include "shardproof/case/piece.h"

namespace shardproof {
namespace {

void check_count(const JsonReader& reader, std::size_t found, std::size_t wanted,
                 const char* what) {
  if (found == wanted) return;
  reader.refuse("has " + std::to_string(found) + ' ' + what + " instead of " +
                std::to_string(wanted));
}

void check_dtype(const JsonReader& reader, Dtype dtype, double value) {
  if (representable(dtype, value)) return;
  reader.refuse(json_number(value) + " is no value of " + std::string(name(dtype)) +
                ", whose nearest is " + json_number(round_to(dtype, value)) +
                "; a number has to be written with all its digits as binary64");
}

/// Reads a tree of numbers of one dtype.
class TreeReader {
 public:
  TreeReader(JsonReader& reader, const SharedShape& shape, Dtype dtype)
      : reader_(reader), shape_(shape), dtype_(dtype) {}

  /// A list of leaves in their order, or an object of them by name.
  Tree read() {
    values_.resize(shape_->size);
    if (reader_.next() == '{') {
      std::vector<JsonReader::Field> fields;
      for (const LeafShape& leaf : shape_->leaves) {
        fields.push_back({leaf.name, [this, &leaf] { read_leaf(leaf); }});
      }
      reader_.object(fields);
    } else {
      std::size_t count = 0;
      const std::vector<LeafShape>& leaves = shape_->leaves;
      reader_.array(leaves.size(), [&] { read_leaf(leaves[count++]); });
      check_count(reader_, count, leaves.size(), "leaves");
    }
    return {shape_, std::move(values_)};
  }

 private:
  /// All its numbers one behind the other or, of a kernel, row by row.
  void read_leaf(const LeafShape& leaf) {
    std::size_t count = 0;
    std::size_t rows = 0;
    const auto element = [&] { take(leaf, count++); };
    // One more than there are, so that the message can say how many are due.
    reader_.array(leaf.size() + 1, [&] {
      if (leaf.is_bias || reader_.next() != '[') {
        if (rows != 0) reader_.refuse("a row is due");
        return element();
      }
      if (count != rows * static_cast<std::size_t>(leaf.columns)) reader_.refuse("a number is due");
      ++rows;
      reader_.array(static_cast<std::size_t>(leaf.columns), element);
      check_count(reader_, count - (rows - 1) * static_cast<std::size_t>(leaf.columns),
                  static_cast<std::size_t>(leaf.columns), "numbers");
    });
    check_count(reader_, count, leaf.size(), "numbers");
  }

  void take(const LeafShape& leaf, std::size_t index) {
    const double value = reader_.number();
    if (index >= leaf.size()) {
      reader_.refuse("has more than " + std::to_string(leaf.size()) + " numbers");
    }
    check_dtype(reader_, dtype_, value);
    values_[leaf.offset + index] = value;
  }

  JsonReader& reader_;
  const SharedShape& shape_;
  Dtype dtype_;
  std::vector<double> values_;
};

class ResultsReader {
 public:
  ResultsReader(JsonReader& reader, const Question& question, PlaceInAnswer& place)
      : reader_(reader), question_(question), place_(place) {}

  std::vector<std::vector<RankResult>> read() {
    std::vector<std::vector<RankResult>> steps;
    reader_.array(static_cast<std::size_t>(question_.steps) + 1, [&] {
      if (steps.size() == static_cast<std::size_t>(question_.steps)) {
        reader_.refuse("there are only " + std::to_string(question_.steps) + " steps");
      }
      place_.step = static_cast<int>(steps.size());
      steps.push_back(read_step());
    });
    check_count(reader_, steps.size(), static_cast<std::size_t>(question_.steps), "steps");
    return steps;
  }

 private:
  std::vector<RankResult> read_step() {
    if (question_.kind == ProgramKind::all_at_once) {
      return std::vector<RankResult>(question_.ranks.size(), read_result());
    }
    std::vector<RankResult> ranks;
    reader_.object({{"ranks", [&] {
                       reader_.array(question_.ranks.size() + 1,
                                     [&] { ranks.push_back(read_result_of(ranks.size())); });
                       check_count(reader_, ranks.size(), question_.ranks.size(), "results");
                     }}});
    return ranks;
  }

  RankResult read_result_of(std::size_t index) {
    if (index == question_.ranks.size()) {
      reader_.refuse("only " + std::to_string(index) + " ranks were asked");
    }
    place_.rank = question_.ranks[index];
    return read_result();
  }

  /// The numbers of the rank's piece, padding of the flat tree included.
  std::vector<double> read_piece() {
    if (!question_.pieces) reader_.refuse("no pieces are claimed");
    const std::size_t most = question_.shape->size + static_cast<std::size_t>(kMaxWorldSize);
    std::vector<double> values;
    reader_.array(most, [&] {
      values.push_back(reader_.number());
      check_dtype(reader_, question_.result, values.back());
    });
    return values;
  }

  void place_piece(const std::vector<double>& values, std::optional<std::size_t> offset,
                   RankResult& result) const {
    const std::size_t size = question_.shape->size;
    const std::size_t even = even_piece_length(size, question_.world);
    const Piece piece{offset.value_or(even * static_cast<std::size_t>(place_.rank)), values.size()};
    result.piece = piece;
    result.gradient = Tree(question_.shape);
    const std::size_t kept = std::min(values.size(), size - std::min(size, piece.offset));
    std::copy_n(values.begin(), kept,
                result.gradient.values().begin() +
                    static_cast<std::ptrdiff_t>(std::min(size, piece.offset)));
  }

  RankResult read_result() {
    RankResult result;
    bool whole = false;
    std::optional<std::vector<double>> piece;
    std::optional<std::size_t> offset;
    const bool train = question_.kind == ProgramKind::train_step;
    std::vector<JsonReader::Field> fields{
        {"gradient",
         [&] {
           result.gradient = read_tree(question_.result);
           whole = true;
         },
         false},
        {"piece", [&] { piece = read_piece(); }, false},
        {"offset", [&] { offset = static_cast<std::size_t>(reader_.integer(0, kMaxElements)); },
         false},
        {"loss", [&] { result.loss = reader_.number(); }, train},
        {"count", [&] { result.count = reader_.number(); }, false},
        {"norm", [&] { result.norm = reader_.number(); }, false}};
    if (train) {
      fields.push_back(
          {"parameters", [&] { result.parameters = read_tree(question_.parameters); }});
    }
    reader_.object(fields);
    if (whole == piece.has_value()) {
      reader_.refuse(whole ? "a gradient and a piece of it" : "key \"gradient\" is missing");
    }
    if (offset && !piece) reader_.refuse("an offset stands beside a piece only");
    if (piece) place_piece(*piece, offset, result);
    return result;
  }

  Tree read_tree(Dtype dtype) { return TreeReader(reader_, question_.shape, dtype).read(); }

  JsonReader& reader_;
  const Question& question_;
  PlaceInAnswer& place_;
};

}  // namespace

std::vector<std::vector<RankResult>> read_results(JsonReader& reader, const Question& question,
                                                  PlaceInAnswer& place) {
  return ResultsReader(reader, question, place).read();
}

}  // namespace shardproof
