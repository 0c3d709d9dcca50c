#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "shardproof/case/dtype.h"
#include "shardproof/case/tree.h"
#include "shardproof/subject/outcome.h"
#include "shardproof/subject/plugin.h"
#include "subject/plugin/guarded_buffer.h"
#include "subject/plugin/library.h"
#include "subject/plugin/plugin_context.h"

namespace shardproof {

/// What a plug-in is told about a trial, and the memory that it is told from.
class PluginTrial {
 public:
  struct About {
    SharedShape shape;
    Dtype dtype;   ///< of what is handed in
    Dtype output;  ///< of what is returned
    int features = 1;
    std::vector<Layer> layers;
  };
  explicit PluginTrial(About about);
  PluginTrial(const PluginTrial&) = delete;
  PluginTrial& operator=(const PluginTrial&) = delete;

  [[nodiscard]] const shardproof_trial& get() const { return trial_; }
  [[nodiscard]] const About& about() const { return about_; }
  [[nodiscard]] const TreeShape& shape() const { return *about_.shape; }

 private:
  About about_;
  std::vector<shardproof_leaf> leaves_;
  std::vector<std::size_t> outputs_;
  std::vector<std::int32_t> biases_;
  shardproof_trial trial_{};
};

/// One rank's side of a trial of a plug-in: between its `begin` and its `end`.
class PluginRank {
 public:
  /// \throws what PluginContext::check throws
  PluginRank(std::shared_ptr<Library> library, Communicator& ranks, PluginTrial::About about);
  ~PluginRank();
  PluginRank(const PluginRank&) = delete;
  PluginRank& operator=(const PluginRank&) = delete;

  [[nodiscard]] const shardproof_plugin& table() const { return library_->table(); }
  [[nodiscard]] PluginContext& context() { return context_; }
  [[nodiscard]] const PluginTrial& trial() const { return trial_; }
  [[nodiscard]] void* state() const { return state_; }

 private:
  std::shared_ptr<Library> library_;
  PluginContext context_;
  PluginTrial trial_;
  void* state_ = nullptr;
};

/// A result for a plug-in to fill in, and the memory that it fills.
class PluginResult {
 public:
  /// \param parameters  of which dtype they are returned; nothing: they are not
  PluginResult(const PluginTrial& trial, std::optional<Dtype> parameters);

  [[nodiscard]] shardproof_result* get() { return &result_; }
  /// \throws RankMisbehaved  when it was written where it must not be
  void check() const;
  [[nodiscard]] Tree gradient(const SharedShape& shape) const;
  [[nodiscard]] Tree parameters(const SharedShape& shape) const;
  [[nodiscard]] std::optional<double> loss() const;
  [[nodiscard]] std::optional<double> count() const;
  [[nodiscard]] std::optional<double> norm() const;
  [[nodiscard]] std::optional<Piece> piece() const;

 private:
  GuardedBuffer gradient_;
  std::optional<GuardedBuffer> parameters_;
  shardproof_result result_{};
};

/// A contribution as a plug-in sees it, and the memory that it sees.
class PluginContribution {
 public:
  PluginContribution(const Contribution& from, Dtype dtype);

  [[nodiscard]] const shardproof_contribution* get() const { return &contribution_; }
  /// Copies what it holds now back, where a change of it is seen.
  /// \throws RankMisbehaved  when it was written to beyond its ends
  void copy_back(Contribution& to) const;

 private:
  std::unique_ptr<GuardedBuffer> gradient_;
  std::vector<std::uint8_t> absent_;
  shardproof_contribution contribution_{};
};

}  // namespace shardproof
