#include "shardproof/case/case.h"

#include <bit>
#include <cstring>
#include <utility>

namespace shardproof {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class T>
bool all_equal(const std::vector<T>& a, const std::vector<T>& b, auto&& equal) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

bool same_rows(const MicroBatch& a, const MicroBatch& b) {
  return a.mask == b.mask && a.absent == b.absent && same_bits(a.x, b.x) && same_bits(a.y, b.y);
}

bool same_shard(const Shard& a, const Shard& b) {
  return all_equal(a.micro_batches, b.micro_batches, same_rows);
}

bool same_step(const Step& a, const Step& b) { return all_equal(a.shards, b.shards, same_shard); }

bool same_item(const GivenContributions::Item& a, const GivenContributions::Item& b) {
  return same_bits(a.loss, b.loss) && same_bits(a.gradient, b.gradient);
}

bool same_given(const GivenContributions* a, const GivenContributions* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a == b) return true;
  const auto same_items = [](const auto& c, const auto& d) { return all_equal(c, d, same_item); };
  return all_equal(a->items, b->items,
                   [&](const auto& c, const auto& d) { return all_equal(c, d, same_items); });
}

}  // namespace

int Model::outputs() const {
  int sum = 0;
  for (const Layer& layer : layers) sum += layer.outputs;
  return sum;
}

SharedShape tree_shape(const Model& model) {
  auto shape = std::make_shared<TreeShape>();
  const bool named = model.layers.size() > 1;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const std::string prefix = named ? "layer" + std::to_string(l) + "/" : "";
    const auto add = [&](const char* leaf_name, bool is_bias, int rows) {
      shape->leaves.push_back({.name = prefix + leaf_name,
                               .layer = static_cast<int>(l),
                               .is_bias = is_bias,
                               .rows = rows,
                               .columns = model.layers[l].outputs,
                               .offset = shape->size});
      shape->size += shape->leaves.back().size();
    };
    add("kernel", false, model.features);
    if (model.layers[l].bias) add("bias", true, 1);
  }
  return shape;
}

ValidCount MicroBatch::valid() const {
  std::int64_t count = 0;
  for (std::uint8_t kept : mask) count += kept != 0 ? 1 : 0;
  return {count};
}

ValidCount Shard::valid() const {
  std::int64_t count = 0;
  for (const MicroBatch& micro_batch : micro_batches) count += micro_batch.valid().value;
  return {count};
}

ValidCount Step::valid() const {
  std::int64_t count = 0;
  for (const Shard& shard : shards) count += shard.valid().value;
  return {count};
}

WorldSize Mesh::world_size() const {
  int size = 1;
  for (const Axis& axis : axes) size *= axis.size;
  return {size};
}

bool operator==(const Case& a, const Case& b) {
  return a.dtype == b.dtype && a.mesh == b.mesh && a.arrival == b.arrival &&
         same_bits(a.learning_rate, b.learning_rate) && a.model.features == b.model.features &&
         a.model.layers == b.model.layers && same_bits(a.model.parameters, b.model.parameters) &&
         all_equal(a.steps, b.steps, same_step) && same_given(a.given.get(), b.given.get());
}

}  // namespace shardproof
