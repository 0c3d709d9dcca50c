#include "subject/worker/case_wire.h"

#include <utility>

namespace shardproof {
namespace {

template <class T>
void write(WireWriter& out, const std::vector<T>& values) {
  out.values(std::span<const T>(values));
}

void write(WireWriter& out, const Model& model) {
  out.value(model.features);
  out.value(static_cast<std::uint64_t>(model.layers.size()));
  for (const Layer& layer : model.layers) {
    out.value(layer.outputs);
    out.value(layer.bias);
  }
  write(out, model.parameters);
}

Model read_model(WireReader& in) {
  Model model;
  model.features = in.value<int>();
  model.layers.resize(in.count(sizeof(int)));
  for (Layer& layer : model.layers) {
    layer.outputs = in.value<int>();
    layer.bias = in.value<std::uint8_t>() != 0;
  }
  model.parameters = in.values<double>();
  return model;
}

void write(WireWriter& out, const MicroBatch& batch) {
  write(out, batch.x);
  write(out, batch.y);
  write(out, batch.mask);
  write(out, batch.absent);
}

MicroBatch read_micro_batch(WireReader& in) {
  MicroBatch batch;
  batch.x = in.values<double>();
  batch.y = in.values<double>();
  batch.mask = in.values<std::uint8_t>();
  batch.absent = in.values<std::uint8_t>();
  return batch;
}

void write(WireWriter& out, const GivenContributions& given) {
  for (const auto& step : given.items) {
    for (const auto& shard : step) {
      for (const GivenContributions::Item& item : shard) {
        write(out, item.gradient);
        out.value(item.loss);
      }
    }
  }
}

/// As many as the steps have micro-batches.
std::shared_ptr<const GivenContributions> read_given(WireReader& in,
                                                     const std::vector<Step>& steps) {
  auto given = std::make_shared<GivenContributions>();
  for (const Step& step : steps) {
    auto& of_step = given->items.emplace_back();
    for (const Shard& shard : step.shards) {
      auto& of_shard = of_step.emplace_back();
      for (std::size_t b = 0; b < shard.micro_batches.size(); ++b) {
        std::vector<double> gradient = in.values<double>();
        of_shard.push_back({std::move(gradient), in.value<double>()});
      }
    }
  }
  return given;
}

}  // namespace

void write_case(WireWriter& out, const Case& problem) {
  write(out, problem.model);
  out.value(problem.dtype);
  out.value(problem.learning_rate);
  write(out, problem.arrival);
  out.value(problem.world_size().value);
  out.value(static_cast<std::uint64_t>(problem.steps.size()));
  for (const Step& step : problem.steps) {
    out.value(static_cast<std::uint64_t>(step.micro_batches()));
    for (const Shard& shard : step.shards) {
      for (const MicroBatch& batch : shard.micro_batches) write(out, batch);
    }
  }
  out.value(problem.given != nullptr);
  if (problem.given != nullptr) write(out, *problem.given);
}

Case read_case(WireReader& in) {
  Case problem;
  problem.model = read_model(in);
  problem.dtype = in.value<Dtype>();
  problem.learning_rate = in.value<double>();
  problem.arrival = in.values<int>();
  const int world = in.value<int>();
  if (world < 1 || world > kMaxWorldSize) throw WireError("no such world size");
  problem.mesh.axes.front().size = world;
  problem.steps.resize(in.count(sizeof(std::uint64_t)));
  for (Step& step : problem.steps) {
    const std::size_t micro_batches = in.count(1);
    step.shards.resize(static_cast<std::size_t>(world));
    for (Shard& shard : step.shards) {
      for (std::size_t b = 0; b < micro_batches; ++b) {
        shard.micro_batches.push_back(read_micro_batch(in));
      }
    }
  }
  if (in.value<std::uint8_t>() != 0) problem.given = read_given(in, problem.steps);
  return problem;
}

}  // namespace shardproof
