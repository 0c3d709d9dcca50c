#pragma once

#include <string>
#include <vector>

#include "shardproof/subject/plugin.h"
#include "shardproof/world/communicator.h"

namespace shardproof {

/// A communicator as a plug-in in C sees it. No exception passes through its code: what happened is
/// kept, and thrown once it has returned.
class PluginContext {
 public:
  explicit PluginContext(Communicator& ranks);
  PluginContext(const PluginContext&) = delete;
  PluginContext& operator=(const PluginContext&) = delete;

  [[nodiscard]] shardproof_context* get() { return &context_; }

  /// What a function of the plug-in returned.
  /// \throws Cancelled           when the trial has ended, whatever it returned
  /// \throws Decline             for SHARDPROOF_DECLINED, with its message
  /// \throws std::runtime_error  for SHARDPROOF_FAILED, with its message
  /// \throws RankMisbehaved      for any other number but SHARDPROOF_OK
  void check(const char* function, int status);

 private:
  static PluginContext& of(shardproof_context* context);
  static int barrier(shardproof_context* self, const shardproof_group* group);
  static int all_gather(shardproof_context* self, const void* mine, std::size_t bytes, void* all,
                        const shardproof_group* group);
  static int send(shardproof_context* self, std::int32_t to, const void* data, std::size_t bytes,
                  const shardproof_group* group);
  static int receive(shardproof_context* self, std::int32_t from, void* data, std::size_t bytes,
                     const shardproof_group* group);
  static void message(shardproof_context* self, const char* text);

  /// Runs one call of the communicator and turns what it throws into a status.
  template <class Call>
  int guarded(const Call& call);
  /// World ranks in the order of the group. \throws std::invalid_argument  when it is none
  std::vector<Rank> members(const shardproof_group* group) const;
  Rank peer(const shardproof_group* group, std::int32_t position) const;

  shardproof_context context_;
  Communicator& ranks_;
  std::string message_;
  bool cancelled_ = false;
};

/// Throws what a status says, as `PluginContext::check` does.
void throw_for_status(const char* function, int status, const std::string& message);

}  // namespace shardproof
