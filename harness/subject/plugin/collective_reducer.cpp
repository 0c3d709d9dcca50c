#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "subject/plugin/joined.h"
#include "subject/plugin/native.h"
#include "subject/plugin/plugin_reducers.h"
#include "subject/rank_misbehaved.h"

namespace shardproof {
namespace {

constexpr std::array kForms{SHARDPROOF_TAKES_OUT_OF_PLACE, SHARDPROOF_TAKES_IN_PLACE,
                            SHARDPROOF_TAKES_OFFSET, SHARDPROOF_TAKES_REDUCE_SCATTER};

/// The forms in which a collective can be called, those first that come first.
std::vector<std::int32_t> forms_of(std::int32_t calls) {
  std::vector<std::int32_t> forms;
  for (const std::int32_t form : kForms) {
    if (calls == 0 || (calls & form) != 0) forms.push_back(form);
  }
  if (forms.empty()) throw RankMisbehaved("its `calls` name no form of a call");
  return forms;
}

/// One call for each leaf of each step. The form is the case's alone, so that a case that fails
/// does so again, and every form is met by trees of several leaves and by several steps.
class CollectiveReducer final : public Reducer {
 public:
  CollectiveReducer(std::unique_ptr<PluginRank> rank, const Claim& claim)
      : rank_(std::move(rank)),
        joined_(claim, rank_->trial().about().dtype),
        op_(op_of(claim)),
        may_overwrite_(claim.inputs_overwritten),
        forms_(forms_of(rank_->table().calls)) {}

  std::optional<Reduced> contribute(Communicator& ranks, Contribution& c) override {
    joined_.add(c);
    if (!c.last) return std::nullopt;
    std::vector<double> values = joined_.take();
    const std::vector<LeafShape>& leaves = rank_->trial().shape().leaves;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const std::span<double> leaf = std::span(values).subspan(leaves[i].offset, leaves[i].size());
      const std::size_t form = (i + static_cast<std::size_t>(c.step)) % forms_.size();
      reduce(ranks, forms_[form], c.step, leaf);
    }
    return Reduced{.gradient = Tree(c.gradient.shared_shape(), std::move(values)),
                   .loss = {},
                   .count = {},
                   .norm = {},
                   .piece = {}};
  }

 private:
  void reduce(Communicator& ranks, std::int32_t form, int step, std::span<double> leaf) {
    if (form == SHARDPROOF_TAKES_REDUCE_SCATTER) return reduce_scatter(ranks, step, leaf);
    const Dtype dtype = rank_->trial().about().dtype;
    const std::size_t shift = form == SHARDPROOF_TAKES_OFFSET ? 1 : 0;
    GuardedBuffer send(dtype, leaf, shift);
    if (form == SHARDPROOF_TAKES_IN_PLACE) {
      call(SHARDPROOF_ALL_REDUCE, step, send.data(), send.data(), leaf.size());
      send.check("the buffer");
      return send.read(0, leaf);
    }
    GuardedBuffer receive(dtype, leaf.size(), shift);
    call(SHARDPROOF_ALL_REDUCE, step, send.data(), receive.data(), leaf.size());
    send.check("the send buffer");
    receive.check("the receive buffer");
    if (!may_overwrite_) check_unchanged(send, leaf);
    receive.read(0, leaf);
  }

  /// In place, every rank's piece at its place in the send buffer; then the pieces are put
  /// together.
  void reduce_scatter(Communicator& ranks, int step, std::span<double> leaf) {
    const auto world = static_cast<std::size_t>(ranks.world_size().value);
    const auto mine = static_cast<std::size_t>(ranks.rank().index);
    const std::size_t piece = (leaf.size() + world - 1) / world;
    const Dtype dtype = rank_->trial().about().dtype;
    GuardedBuffer buffer(dtype, piece * world);
    buffer.write(0, leaf);
    call(SHARDPROOF_REDUCE_SCATTER, step, buffer.data(),
         buffer.bytes() + mine * piece * native_size(dtype), piece);
    buffer.check("the buffer");
    const std::vector<double> held = buffer.values();
    const std::vector<double> all = ranks.all_gather(std::span(held).subspan(mine * piece, piece));
    std::copy_n(all.begin(), leaf.size(), leaf.begin());
  }

  void call(std::int32_t what, int step, const void* send, void* receive, std::size_t count) {
    const std::int32_t world = rank_->context().get()->world_size;
    std::vector<std::int32_t> everybody;
    for (std::int32_t r = 0; r < world; ++r) everybody.push_back(r);
    const shardproof_group group{.size = sizeof group, .ranks = everybody.data(), .count = world};
    const shardproof_collective about{
        .size = sizeof about,
        .call = what,
        .op = op_,
        .dtype = static_cast<std::int32_t>(rank_->trial().about().dtype),
        .step = step,
        .send = send,
        .receive = receive,
        .count = count,
        // Both ways of saying everybody.
        .group = step % 2 == 0 ? nullptr : &group,
        .stream = nullptr};
    rank_->context().check(
        "collective", rank_->table().collective(rank_->state(), rank_->context().get(), &about));
  }

  static void check_unchanged(const GuardedBuffer& send, std::span<const double> leaf) {
    const std::vector<double> left = send.values();
    const std::size_t at = first_difference(left, leaf);
    if (at == leaf.size()) return;
    throw RankMisbehaved("changed element " + std::to_string(at) +
                         " of its send buffer, which is not claimed (inputs-overwritten=yes)");
  }

  std::unique_ptr<PluginRank> rank_;
  JoinedMicroBatches joined_;
  std::int32_t op_;
  bool may_overwrite_;
  std::vector<std::int32_t> forms_;
};

}  // namespace

std::unique_ptr<Reducer> collective_reducer(std::unique_ptr<PluginRank> rank, const Claim& claim) {
  return std::make_unique<CollectiveReducer>(std::move(rank), claim);
}

std::int32_t op_of(const Claim& claim) {
  return claim.target == Target::sum ? SHARDPROOF_SUM : SHARDPROOF_AVERAGE;
}

}  // namespace shardproof
