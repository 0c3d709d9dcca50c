#pragma once

#include <memory>
#include <string>

#include "shardproof/case/claim.h"
#include "shardproof/subject/plugin.h"

namespace shardproof {

/// A shared library whose table is sound: its version, its kind, and a function for its kind.
class Library {
 public:
  /// Loads it, which runs code of it.
  /// \throws StartError  in one line: not a library, no table, another version, ...
  explicit Library(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const shardproof_plugin& table() const { return table_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] shardproof_kind kind() const { return static_cast<shardproof_kind>(table_.kind); }
  /// What it claims. \throws StartError  when that is no claim
  [[nodiscard]] const Claim& claim() const { return claim_; }

  /// Calls its `open`, if it has one; its `close` is called at the end.
  /// \throws StartError  when it fails
  void open(const Claim& claim);
  [[nodiscard]] void* state() const { return state_; }

 private:
  void check_table(const std::string& path) const;

  void* handle_ = nullptr;
  shardproof_plugin table_{};  ///< a copy; what the library's shorter table lacks is NULL
  std::string name_;
  Claim claim_;
  void* state_ = nullptr;
  bool opened_ = false;
};

}  // namespace shardproof
