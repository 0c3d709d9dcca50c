#include "subject/program/answer_results.h"

#include <string>
#include <utility>

#include "case/json_text.h"

namespace shardproof {
namespace {

void check_count(const JsonReader& reader, std::size_t found, std::size_t wanted,
                 const char* what) {
  if (found == wanted) return;
  reader.refuse("has " + std::to_string(found) + ' ' + what + " instead of " +
                std::to_string(wanted));
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
    if (!representable(dtype_, value)) {
      const double nearest = round_to(dtype_, value);
      reader_.refuse(json_number(value) + " is no value of " + std::string(name(dtype_)) +
                     ", whose nearest is " + json_number(nearest) +
                     "; a number has to be written with all its digits as binary64");
    }
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

  RankResult read_result() {
    RankResult result;
    const bool train = question_.kind == ProgramKind::train_step;
    std::vector<JsonReader::Field> fields{
        {"gradient", [&] { result.gradient = read_tree(question_.result); }},
        {"loss", [&] { result.loss = reader_.number(); }, train},
        {"count", [&] { result.count = reader_.number(); }, false},
        {"norm", [&] { result.norm = reader_.number(); }, false}};
    if (train) {
      fields.push_back(
          {"parameters", [&] { result.parameters = read_tree(question_.parameters); }});
    }
    reader_.object(fields);
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
