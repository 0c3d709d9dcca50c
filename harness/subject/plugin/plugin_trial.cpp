#include "subject/plugin/plugin_trial.h"

#include <utility>

namespace shardproof {

PluginTrial::PluginTrial(About about) : about_(std::move(about)) {
  for (const LeafShape& leaf : about_.shape->leaves) {
    leaves_.push_back({.size = sizeof(shardproof_leaf),
                       .name = leaf.name.c_str(),
                       .offset = leaf.offset,
                       .rows = static_cast<std::size_t>(leaf.rows),
                       .columns = static_cast<std::size_t>(leaf.columns),
                       .layer = leaf.layer,
                       .is_bias = leaf.is_bias ? 1 : 0});
  }
  std::size_t outputs = 0;
  for (const Layer& layer : about_.layers) {
    outputs_.push_back(static_cast<std::size_t>(layer.outputs));
    biases_.push_back(layer.bias ? 1 : 0);
    outputs += outputs_.back();
  }
  trial_ = {.size = sizeof trial_,
            .dtype = static_cast<std::int32_t>(about_.dtype),
            .output_dtype = static_cast<std::int32_t>(about_.output),
            .elements = about_.shape->size,
            .leaves = leaves_.data(),
            .leaf_count = leaves_.size(),
            .features = static_cast<std::size_t>(about_.features),
            .outputs = outputs,
            .layer_outputs = outputs_.data(),
            .layer_has_bias = biases_.data(),
            .layers = outputs_.size()};
}

PluginRank::PluginRank(std::shared_ptr<Library> library, Communicator& ranks,
                       PluginTrial::About about)
    : library_(std::move(library)), context_(ranks), trial_(std::move(about)) {
  if (table().begin == nullptr) return;
  context_.check("begin", table().begin(library_->state(), context_.get(), &trial_.get(), &state_));
}

PluginRank::~PluginRank() {
  if (table().end != nullptr) table().end(state_);
}

PluginResult::PluginResult(const PluginTrial& trial, std::optional<Dtype> parameters)
    : gradient_(trial.about().output, trial.shape().size) {
  if (parameters) parameters_.emplace(*parameters, trial.shape().size);
  result_.size = sizeof result_;
  result_.gradient = gradient_.data();
  result_.parameters = parameters_ ? parameters_->data() : nullptr;
}

void PluginResult::check() const {
  gradient_.check("the gradient to be returned");
  if (parameters_) parameters_->check("the parameters to be returned");
}

Tree PluginResult::gradient(const SharedShape& shape) const { return {shape, gradient_.values()}; }

Tree PluginResult::parameters(const SharedShape& shape) const {
  return {shape, parameters_->values()};
}

std::optional<double> PluginResult::loss() const {
  return result_.has_loss != 0 ? std::optional(result_.loss) : std::nullopt;
}

std::optional<double> PluginResult::count() const {
  return result_.has_count != 0 ? std::optional(result_.count) : std::nullopt;
}

std::optional<double> PluginResult::norm() const {
  return result_.has_norm != 0 ? std::optional(result_.norm) : std::nullopt;
}

std::optional<Piece> PluginResult::piece() const {
  if (result_.has_piece == 0) return std::nullopt;
  return Piece{.offset = result_.piece_offset, .length = result_.piece_length};
}

PluginContribution::PluginContribution(const Contribution& from, Dtype dtype)
    : gradient_(std::make_unique<GuardedBuffer>(dtype, from.gradient.values())),
      absent_(from.absent) {
  contribution_ = {.size = sizeof contribution_,
                   .gradient = gradient_->data(),
                   .loss = from.loss,
                   .valid = from.valid.value,
                   .rows = from.rows,
                   .step = from.step,
                   .micro_batch = from.micro_batch,
                   .last = from.last ? 1 : 0,
                   .absent = absent_.empty() ? nullptr : absent_.data()};
}

void PluginContribution::copy_back(Contribution& to) const {
  gradient_->check("a contribution");
  gradient_->read(0, to.gradient.values());
  to.absent = absent_;
}

}  // namespace shardproof
