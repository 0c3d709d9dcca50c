#include <functional>
#include <span>

#include "case/case_json.h"
#include "case/json_text.h"

namespace shardproof {
namespace {

// `[a, b]` on one line, or one element a line below each other.
std::string list(std::size_t count, int indent, bool lines,
                 const std::function<std::string(std::size_t)>& element) {
  if (count == 0) return "[]";
  const std::string inner =
      lines ? '\n' + std::string(static_cast<std::size_t>(indent) + 2, ' ') : "";
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out += lines ? "," : ", ";
    out += inner + element(i);
  }
  if (lines) out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
  return out += ']';
}

template <class Integers>
std::string integers(const Integers& values) {
  return list(values.size(), 0, false,
              [&](std::size_t i) { return std::to_string(static_cast<int>(values[i])); });
}

std::string rows(std::span<const double> values, int count) {
  const std::size_t width = count == 0 ? 0 : values.size() / static_cast<std::size_t>(count);
  return list(static_cast<std::size_t>(count), 0, false,
              [&](std::size_t i) { return json_numbers(values.subspan(i * width, width)); });
}

std::string micro_batch(const MicroBatch& batch) {
  std::string out = R"({"x": )" + rows(batch.x, batch.rows());
  out += R"(, "y": )" + rows(batch.y, batch.rows());
  out += R"(, "mask": )" + integers(batch.mask);
  if (!batch.absent.empty()) out += R"(, "absent": )" + integers(batch.absent);
  return out += '}';
}

std::string steps(const Case& problem, int indent) {
  return list(problem.steps.size(), indent, true, [&](std::size_t s) {
    const std::vector<Shard>& shards = problem.steps[s].shards;
    return R"({"shards": )" +
           list(shards.size(), indent + 2, true,
                [&](std::size_t r) {
                  const std::vector<MicroBatch>& batches = shards[r].micro_batches;
                  return R"({"micro_batches": )" +
                         list(batches.size(), indent + 4, true,
                              [&](std::size_t m) { return micro_batch(batches[m]); }) +
                         '}';
                }) +
           '}';
  });
}

std::string model(const Model& model) {
  std::string out = R"({"features": )" + std::to_string(model.features) + R"(, "layers": )";
  out += list(model.layers.size(), 0, false, [&](std::size_t i) {
    const Layer& layer = model.layers[i];
    return R"({"outputs": )" + std::to_string(layer.outputs) + R"(, "bias": )" +
           (layer.bias ? "true}" : "false}");
  });
  return out + R"(, "parameters": )" + json_numbers(model.parameters) + '}';
}

std::string mesh(const Mesh& mesh) {
  return list(mesh.axes.size(), 0, false, [&](std::size_t i) {
    return R"({"name": )" + json_string(mesh.axes[i].name) + R"(, "size": )" +
           std::to_string(mesh.axes[i].size) + '}';
  });
}

std::string given(const GivenContributions& given, int indent) {
  const auto item = [](const GivenContributions::Item& it) {
    return R"({"gradient": )" + json_numbers(it.gradient) + R"(, "loss": )" + json_number(it.loss) +
           '}';
  };
  return list(given.items.size(), indent, true, [&](std::size_t s) {
    return list(given.items[s].size(), indent + 2, true, [&](std::size_t r) {
      const auto& batches = given.items[s][r];
      return list(batches.size(), 0, false, [&](std::size_t m) { return item(batches[m]); });
    });
  });
}

}  // namespace

std::string case_json(const Case& problem, int indent) {
  const std::string line = '\n' + std::string(static_cast<std::size_t>(indent) + 2, ' ');
  std::string out = "{" + line + R"("dtype": )" + json_string(name(problem.dtype));
  out += ',' + line + R"("learning_rate": )" + json_number(problem.learning_rate);
  if (!problem.arrival.empty()) out += ',' + line + R"("arrival": )" + integers(problem.arrival);
  out += ',' + line + R"("mesh": )" + mesh(problem.mesh);
  out += ',' + line + R"("model": )" + model(problem.model);
  out += ',' + line + R"("steps": )" + steps(problem, indent + 2);
  if (problem.given) out += ',' + line + R"("given": )" + given(*problem.given, indent + 2);
  return out + '\n' + std::string(static_cast<std::size_t>(indent), ' ') + '}';
}

}  // namespace shardproof
