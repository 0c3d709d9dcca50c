#include "subject/plugin/plugin_context.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "subject/rank_misbehaved.h"

namespace shardproof {
namespace {

std::span<const std::byte> bytes_of(const void* data, std::size_t count) {
  return {static_cast<const std::byte*>(data), count};
}

std::span<std::byte> bytes_of(void* data, std::size_t count) {
  return {static_cast<std::byte*>(data), count};
}

}  // namespace

PluginContext::PluginContext(Communicator& ranks)
    : context_{.size = sizeof(shardproof_context),
               .rank = ranks.rank().index,
               .world_size = ranks.world_size().value,
               .barrier = &barrier,
               .all_gather = &all_gather,
               .send = &send,
               .receive = &receive,
               .message = &message,
               .harness = this},
      ranks_(ranks) {}

PluginContext& PluginContext::of(shardproof_context* context) {
  return *static_cast<PluginContext*>(context->harness);
}

template <class Call>
int PluginContext::guarded(const Call& call) {
  // Once the trial has ended every further call would only throw the same again.
  if (cancelled_) return SHARDPROOF_CANCELLED;
  try {
    call();
    return SHARDPROOF_OK;
  } catch (const Cancelled&) {
    cancelled_ = true;
    return SHARDPROOF_CANCELLED;
  } catch (const std::exception& error) {
    message_ = error.what();
    return SHARDPROOF_FAILED;
  }
}

std::vector<Rank> PluginContext::members(const shardproof_group* group) const {
  std::vector<Rank> found;
  const int world = ranks_.world_size().value;
  for (int i = 0; i < (group == nullptr ? world : group->count); ++i) {
    const Rank rank{group == nullptr ? i : group->ranks[i]};
    if (rank.index < 0 || rank.index >= world) {
      throw std::invalid_argument("no rank " + std::to_string(rank.index) + " in a world of " +
                                  std::to_string(world));
    }
    if (std::ranges::find(found, rank) != found.end()) {
      throw std::invalid_argument("rank " + std::to_string(rank.index) + " is in the group twice");
    }
    found.push_back(rank);
  }
  if (std::ranges::find(found, ranks_.rank()) == found.end()) {
    throw std::invalid_argument("rank " + std::to_string(ranks_.rank().index) +
                                " is not in the group that it uses");
  }
  return found;
}

Rank PluginContext::peer(const shardproof_group* group, std::int32_t position) const {
  const std::vector<Rank> all = members(group);
  if (position < 0 || static_cast<std::size_t>(position) >= all.size()) {
    throw std::invalid_argument("no position " + std::to_string(position) + " in a group of " +
                                std::to_string(all.size()));
  }
  return all[static_cast<std::size_t>(position)];
}

int PluginContext::barrier(shardproof_context* self, const shardproof_group* group) {
  PluginContext& it = of(self);
  return it.guarded([&] {
    if (group == nullptr) return it.ranks_.barrier();
    const std::vector<Rank> all = it.members(group);
    const Rank first = all.front();
    if (it.ranks_.rank() != first) {
      it.ranks_.send(first, bytes_of(static_cast<const void*>(nullptr), 0));
      return it.ranks_.receive(first, bytes_of(static_cast<void*>(nullptr), 0));
    }
    for (const Rank other : all) {
      if (other != first) it.ranks_.receive(other, bytes_of(static_cast<void*>(nullptr), 0));
    }
    for (const Rank other : all) {
      if (other != first) it.ranks_.send(other, bytes_of(static_cast<const void*>(nullptr), 0));
    }
  });
}

int PluginContext::all_gather(shardproof_context* self, const void* mine, std::size_t bytes,
                              void* all, const shardproof_group* group) {
  PluginContext& it = of(self);
  return it.guarded([&] {
    const std::vector<Rank> ranks = it.members(group);
    auto* to = static_cast<std::byte*>(all);
    if (group == nullptr) {
      const std::vector<std::byte> gathered = it.ranks_.all_gather(bytes_of(mine, bytes));
      if (gathered.size() != bytes * ranks.size()) {
        throw std::invalid_argument("all_gather: ranks hand in unlike numbers of bytes");
      }
      std::copy(gathered.begin(), gathered.end(), to);
      return;
    }
    for (const Rank other : ranks) it.ranks_.send(other, bytes_of(mine, bytes));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      it.ranks_.receive(ranks[i], std::span(to + i * bytes, bytes));
    }
  });
}

int PluginContext::send(shardproof_context* self, std::int32_t to, const void* data,
                        std::size_t bytes, const shardproof_group* group) {
  PluginContext& it = of(self);
  return it.guarded([&] { it.ranks_.send(it.peer(group, to), bytes_of(data, bytes)); });
}

int PluginContext::receive(shardproof_context* self, std::int32_t from, void* data,
                           std::size_t bytes, const shardproof_group* group) {
  PluginContext& it = of(self);
  return it.guarded([&] { it.ranks_.receive(it.peer(group, from), bytes_of(data, bytes)); });
}

void PluginContext::message(shardproof_context* self, const char* text) {
  of(self).message_ = text == nullptr ? "" : text;
}

void PluginContext::check(const char* function, int status) {
  if (cancelled_) throw Cancelled{};
  throw_for_status(function, status, message_);
  message_.clear();
}

void throw_for_status(const char* function, int status, const std::string& message) {
  const std::string said = message.empty() ? "" : ": " + message;
  switch (status) {
    case SHARDPROOF_OK:
      return;
    case SHARDPROOF_DECLINED:
      throw Decline(message.empty() ? std::string("without a message") : message);
    case SHARDPROOF_FAILED:
      throw std::runtime_error(function + (" failed" + said));
    default:
      throw RankMisbehaved(function + (" returned " + std::to_string(status)) +
                           ", which is no status" + said);
  }
}

}  // namespace shardproof
