#include "subject/plugin/plugin_all_at_once.h"

#include <utility>

#include "subject/plugin/plugin_trial.h"

namespace shardproof {
namespace {

void keep_message(const shardproof_all* self, const char* text) {
  *static_cast<std::string*>(self->harness) = text == nullptr ? "" : text;
}

using Contributions = std::span<std::vector<Contribution>>;

struct Shown {
  std::vector<std::unique_ptr<PluginContribution>> memory;
  std::vector<const shardproof_contribution*> pointers;
};

Shown shown(Contributions contributions, Dtype dtype) {
  Shown found;
  for (const std::vector<Contribution>& rank : contributions) {
    for (const Contribution& each : rank) {
      found.memory.push_back(std::make_unique<PluginContribution>(each, dtype));
      found.pointers.push_back(found.memory.back()->get());
    }
  }
  return found;
}

Reduced reduce(const Library& library, Dtype output, Contributions contributions, Dtype dtype) {
  const Contribution& first = contributions.front().front();
  const SharedShape& shape = first.gradient.shared_shape();
  const PluginTrial trial({.shape = shape,
                           .dtype = dtype,
                           .output = output,
                           .features = shape->leaves.front().rows,
                           .layers = {}});
  const Shown all = shown(contributions, dtype);
  std::string message;
  const shardproof_all about{
      .size = sizeof about,
      .trial = &trial.get(),
      .contributions = all.pointers.data(),
      .world_size = static_cast<std::int32_t>(contributions.size()),
      .micro_batches = static_cast<std::int32_t>(contributions.front().size()),
      .message = &keep_message,
      .harness = &message};
  PluginResult result(trial, std::nullopt);
  throw_for_status("reduce_all", library.table().reduce_all(library.state(), &about, result.get()),
                   message);
  std::size_t next = 0;
  for (std::vector<Contribution>& rank : contributions) {
    for (Contribution& each : rank) all.memory[next++]->copy_back(each);
  }
  result.check();
  return {.gradient = result.gradient(shape),
          .loss = result.loss(),
          .count = result.count(),
          .norm = result.norm(),
          .piece = {}};
}

}  // namespace

ReduceAll plugin_reduce_all(std::shared_ptr<Library> library, const Claim& claim) {
  return [library = std::move(library), output = claim.output](Contributions contributions,
                                                               Dtype dtype) {
    return reduce(*library, output.value_or(dtype), contributions, dtype);
  };
}

}  // namespace shardproof
