#pragma once

#include "shardproof/world/communicator.h"
#include "world/exchange.h"

namespace shardproof::world {

/// One rank's end of an exchange. Waits are listed where `Exchange` implements them.
class RankCommunicator final : public Communicator {
 public:
  RankCommunicator(Exchange& exchange, int rank) : exchange_(exchange), rank_(rank) {}

  [[nodiscard]] Rank rank() const override { return Rank{rank_}; }
  [[nodiscard]] WorldSize world_size() const override { return WorldSize{exchange_.size()}; }
  void barrier() override { exchange_.barrier(rank_); }

 protected:
  void send_bytes(Rank to, std::span<const std::byte> bytes) override {
    exchange_.send(rank_, to.index, bytes);
  }
  void receive_bytes(Rank from, std::span<std::byte> bytes) override {
    exchange_.receive(rank_, from.index, bytes);
  }
  void publish_bytes(std::span<const std::byte> bytes) override { exchange_.publish(rank_, bytes); }
  [[nodiscard]] std::span<const std::byte> slot_bytes(Rank of) const override {
    return exchange_.slot(rank_, of.index);
  }

 private:
  Exchange& exchange_;
  int rank_;
};

}  // namespace shardproof::world
