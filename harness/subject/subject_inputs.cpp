#include "subject/subject_inputs.h"

#include <string>

namespace shardproof {
namespace {

std::string element(const char* name, std::size_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

/// Looks for a change, array by array, until one is found.
class Search {
 public:
  explicit Search(InputChange place) : place_(std::move(place)) {}

  void number(const char* name, double before, double after) {
    numbers(std::span(&before, 1), std::span(&after, 1), name,
            [name](std::size_t) { return std::string(name); });
  }
  template <class Name>
  void numbers(std::span<const double> before, std::span<const double> after, const char* array,
               const Name& name_of) {
    if (found_) return;
    if (before.size() != after.size()) return resized(array, before.size(), after.size());
    const std::size_t at = first_difference(before, after);
    if (at < before.size()) found(name_of(at), before[at], after[at]);
  }
  void flags(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
             const char* array) {
    if (found_) return;
    if (before.size() != after.size()) return resized(array, before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] != after[i]) return found(element(array, i), before[i], after[i]);
    }
  }
  void resized(const char* array, std::size_t before, std::size_t after) {
    if (found_ || before == after) return;
    found(std::string("the size of ") + array, static_cast<double>(before),
          static_cast<double>(after));
  }
  void in_micro_batch(std::size_t index) {
    if (!found_) place_.micro_batch = static_cast<int>(index);
  }
  [[nodiscard]] std::optional<InputChange> result() const {
    return found_ ? std::optional(place_) : std::nullopt;
  }

 private:
  void found(std::string what, double before, double after) {
    found_ = true;
    place_.what = std::move(what);
    place_.before = before;
    place_.after = after;
  }

  InputChange place_;
  bool found_ = false;
};

/// `x[2,1]` for an element of rows of so many columns.
auto row_element(const char* name, int columns) {
  return [name, columns = static_cast<std::size_t>(columns)](std::size_t index) {
    return std::string(name) + "[" + std::to_string(index / columns) + "," +
           std::to_string(index % columns) + "]";
  };
}

auto tree_element(const Tree& tree) {
  return [&tree](std::size_t index) { return element_name(tree.shape(), index); };
}

}  // namespace

std::optional<InputChange> first_change(const Contribution& handed_in, const Contribution& left,
                                        Rank rank) {
  Search search(
      {.rank = rank, .step = handed_in.step, .micro_batch = handed_in.micro_batch, .what = {}});
  search.numbers(handed_in.gradient.values(), left.gradient.values(), "the gradient",
                 tree_element(handed_in.gradient));
  search.number("loss", handed_in.loss, left.loss);
  search.number("valid count", static_cast<double>(handed_in.valid.value),
                static_cast<double>(left.valid.value));
  search.number("rows", handed_in.rows, left.rows);
  search.flags(handed_in.absent, left.absent, "absent");
  return search.result();
}

std::optional<InputChange> first_change(const Model& model,
                                        std::span<const MicroBatch> micro_batches,
                                        std::span<const double> parameters, double learning_rate,
                                        const TrainInput& left, Rank rank) {
  Search search({.rank = rank, .step = left.step, .what = {}});
  search.resized("the micro-batches", micro_batches.size(), left.micro_batches.size());
  for (std::size_t b = 0; b < std::min(micro_batches.size(), left.micro_batches.size()); ++b) {
    const MicroBatch& before = micro_batches[b];
    const MicroBatch& after = left.micro_batches[b];
    search.in_micro_batch(b);
    search.numbers(before.x, after.x, "x", row_element("x", model.features));
    search.numbers(before.y, after.y, "y", row_element("y", model.outputs()));
    search.flags(before.mask, after.mask, "mask");
    search.flags(before.absent, after.absent, "absent");
  }
  search.in_micro_batch(0);
  const SharedShape& shape = left.parameters.shared_shape();
  search.numbers(parameters, left.parameters.values(), "the parameters", [&](std::size_t index) {
    return "parameter " + (shape ? element_name(*shape, index) : std::to_string(index));
  });
  search.number("learning rate", learning_rate, left.learning_rate);
  return search.result();
}

bool fits(const Tree& tree, const TreeShape& shape) {
  return tree.has_shape() && tree.values().size() == shape.size;
}

std::string misfit(const char* what, const Tree& tree, const TreeShape& shape) {
  return std::string("returned ") + what + " of " + std::to_string(tree.values().size()) +
         " elements instead of " + std::to_string(shape.size);
}

}  // namespace shardproof
