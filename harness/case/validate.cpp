#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "shardproof/case/case.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

std::string text(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

/// Where something stands, such as `steps[0].shards[2]`; written out only for a message.
struct Place {
  int step = -1;
  int shard = -1;
  int micro_batch = -1;

  [[nodiscard]] std::string name(std::string_view member = {}) const {
    std::string place = "steps";
    const auto add = [&](std::string_view array, int index) {
      if (index >= 0) place.append(array).append("[").append(std::to_string(index)).append("]");
    };
    add("", step);
    add(".shards", shard);
    add(".micro_batches", micro_batch);
    if (!member.empty()) (place += ".") += member;
    return place;
  }
};

std::string at(std::string_view array, std::size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

void check_size(std::string_view place, std::string_view what, std::int64_t size, int largest) {
  if (size >= 1 && size <= largest) return;
  throw InputError(place, std::string(what) + " is " + text(size) + ", allowed are 1 to " +
                              text(std::int64_t{largest}));
}

void check_representable(const std::string& place, Dtype dtype, double value) {
  if (representable(dtype, value)) return;
  throw InputError(place, text(value) + " is no value of " + std::string(name(dtype)));
}

std::int64_t check_model(const Case& problem) {
  const Model& model = problem.model;
  check_size("model", "features", model.features, kMaxFeatures);
  check_size("model", "the number of layers", static_cast<std::int64_t>(model.layers.size()),
             kMaxLayers);
  std::int64_t elements = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& layer = model.layers[l];
    check_size(at("model.layers", l), "outputs", layer.outputs, kMaxOutputs);
    elements += std::int64_t{layer.outputs} * (model.features + (layer.bias ? 1 : 0));
  }
  if (elements > kMaxElements) {
    throw InputError("model",
                     "has " + text(elements) + " parameters, allowed are " + text(kMaxElements));
  }
  if (std::cmp_not_equal(model.parameters.size(), elements)) {
    throw InputError("model.parameters",
                     "has " + text(static_cast<std::int64_t>(model.parameters.size())) +
                         " values, the layers have " + text(elements));
  }
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const double value = model.parameters[i];
    if (!std::isfinite(value)) throw InputError(at("model.parameters", i), "is not finite");
    if (!representable(problem.dtype, value)) {
      check_representable(at("model.parameters", i), problem.dtype, value);
    }
  }
  return elements;
}

void check_world(const Case& problem) {
  if (problem.mesh.axes.size() != 1 || problem.mesh.axes.front().name != "data") {
    throw InputError("mesh", "has to have one axis, `data`");
  }
  const int ranks = problem.mesh.axes.front().size;
  check_size("mesh.axes[0]", "size", ranks, kMaxWorldSize);
  if (problem.arrival.empty()) return;
  std::vector<int> sorted = problem.arrival;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == static_cast<std::size_t>(ranks);
  for (int r = 0; permutation && r < ranks; ++r) {
    permutation = sorted[static_cast<std::size_t>(r)] == r;
  }
  if (!permutation) {
    throw InputError("arrival", "has to be empty or to name each of the " +
                                    text(std::int64_t{ranks}) + " ranks once");
  }
}

void check_array(const Place& place, std::string_view array, std::size_t size, int rows,
                 int columns) {
  const auto columns_size = static_cast<std::size_t>(columns);
  if (size == static_cast<std::size_t>(rows) * columns_size) return;
  // The mask is what says how many rows there are; a whole number of rows reads better.
  if (size % columns_size == 0) {
    throw InputError(place.name(), "mask has " + text(std::int64_t{rows}) + " entries, " +
                                       std::string(array) + " has " +
                                       std::to_string(size / columns_size) + " rows");
  }
  throw InputError(place.name(array), "has " + std::to_string(size) + " values, rows have " +
                                          text(std::int64_t{columns}));
}

void check_values(const Case& problem, const Place& place, std::string_view array,
                  const std::vector<double>& values, const MicroBatch& rows, int columns) {
  const auto columns_size = static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!representable(problem.dtype, values[i])) {
      check_representable(at(place.name(array), i), problem.dtype, values[i]);
    }
    if (!std::isfinite(values[i]) && rows.mask[i / columns_size] != 0) {
      throw InputError(at(place.name(array), i), "is not finite, in a row that the mask keeps");
    }
  }
}

void check_flags(const Place& place, std::string_view array,
                 const std::vector<std::uint8_t>& flags) {
  const auto bad = std::find_if(flags.begin(), flags.end(), [](auto flag) { return flag > 1; });
  if (bad == flags.end()) return;
  throw InputError(at(place.name(array), static_cast<std::size_t>(bad - flags.begin())),
                   "is " + text(std::int64_t{*bad}) + ", allowed are 0 and 1");
}

/// \return the number of values in the rows
std::int64_t check_micro_batch(const Case& problem, const Place& place, const MicroBatch& rows,
                               int outputs) {
  if (rows.mask.size() > static_cast<std::size_t>(kMaxRows)) {
    throw InputError(place.name(), "has " + std::to_string(rows.mask.size()) +
                                       " rows, allowed are 0 to " + text(std::int64_t{kMaxRows}));
  }
  check_flags(place, "mask", rows.mask);
  check_array(place, "x", rows.x.size(), rows.rows(), problem.model.features);
  check_array(place, "y", rows.y.size(), rows.rows(), outputs);
  if (!rows.absent.empty() && rows.absent.size() != problem.model.layers.size()) {
    throw InputError(place.name("absent"),
                     "has " + std::to_string(rows.absent.size()) + " entries, the model has " +
                         std::to_string(problem.model.layers.size()) + " layers");
  }
  check_flags(place, "absent", rows.absent);
  check_values(problem, place, "x", rows.x, rows, problem.model.features);
  check_values(problem, place, "y", rows.y, rows, outputs);
  return static_cast<std::int64_t>(rows.x.size() + rows.y.size());
}

std::int64_t check_step(const Case& problem, int step, int outputs) {
  const Step& checked = problem.steps[static_cast<std::size_t>(step)];
  const auto ranks = static_cast<std::size_t>(problem.mesh.axes.front().size);
  Place place{.step = step};
  if (checked.shards.size() != ranks) {
    throw InputError(place.name(), "has " + std::to_string(checked.shards.size()) +
                                       " shards, the mesh has " + std::to_string(ranks) + " ranks");
  }
  const std::size_t micro_batches = checked.shards.front().micro_batches.size();
  std::int64_t values = 0;
  for (std::size_t s = 0; s < ranks; ++s) {
    const Shard& shard = checked.shards[s];
    place = {.step = step, .shard = static_cast<int>(s)};
    check_size(place.name(), "the number of micro-batches",
               static_cast<std::int64_t>(shard.micro_batches.size()), kMaxMicroBatches);
    if (shard.micro_batches.size() != micro_batches) {
      throw InputError(place.name(), "has " + std::to_string(shard.micro_batches.size()) +
                                         " micro-batches, shards[0] has " +
                                         std::to_string(micro_batches));
    }
    for (std::size_t m = 0; m < micro_batches; ++m) {
      place.micro_batch = static_cast<int>(m);
      values += check_micro_batch(problem, place, shard.micro_batches[m], outputs);
    }
  }
  return values;
}

void check_given_item(const Case& problem, const Place& place, std::int64_t elements) {
  const auto& item =
      problem.given->items[static_cast<std::size_t>(place.step)][static_cast<std::size_t>(
          place.shard)][static_cast<std::size_t>(place.micro_batch)];
  if (std::cmp_not_equal(item.gradient.size(), elements)) {
    throw InputError(place.name("given"), "the gradient has " +
                                              std::to_string(item.gradient.size()) +
                                              " values, the tree has " + text(elements));
  }
}

void check_given(const Case& problem, std::int64_t elements) {
  const auto& items = problem.given->items;
  const auto check = [](const Place& place, std::size_t has, std::size_t needs) {
    if (has == needs) return;
    throw InputError(place.name("given"),
                     "has " + std::to_string(has) + " entries, needs " + std::to_string(needs));
  };
  check({}, items.size(), problem.steps.size());
  for (std::size_t t = 0; t < items.size(); ++t) {
    const Step& step = problem.steps[t];
    Place place{.step = static_cast<int>(t)};
    check(place, items[t].size(), step.shards.size());
    for (std::size_t s = 0; s < items[t].size(); ++s) {
      place = {.step = static_cast<int>(t), .shard = static_cast<int>(s)};
      check(place, items[t][s].size(), step.shards[s].micro_batches.size());
      for (std::size_t m = 0; m < items[t][s].size(); ++m) {
        place.micro_batch = static_cast<int>(m);
        check_given_item(problem, place, elements);
      }
    }
  }
}

}  // namespace

void validate(const Case& problem) {
  const std::int64_t elements = check_model(problem);
  check_world(problem);
  if (!(std::isfinite(problem.learning_rate) && problem.learning_rate > 0)) {
    throw InputError("learning_rate", "has to be finite and above 0");
  }
  check_representable("learning_rate", problem.dtype, problem.learning_rate);
  check_size("steps", "the number of steps", static_cast<std::int64_t>(problem.steps.size()),
             kMaxSteps);
  const int outputs = problem.model.outputs();
  std::int64_t values = 0;
  for (std::size_t t = 0; t < problem.steps.size(); ++t) {
    values += check_step(problem, static_cast<int>(t), outputs);
  }
  if (values > kMaxElements) {
    throw InputError("steps",
                     "have " + text(values) + " values in all, allowed are " + text(kMaxElements));
  }
  if (problem.given != nullptr) check_given(problem, elements);
}

}  // namespace shardproof
