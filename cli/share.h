#pragma once

#include <span>
#include <string_view>

namespace shardproof::cli {

/// A file of cli/share/, which the program carries.
struct SharedFile {
  std::string_view name;  ///< below cli/share/
  std::string_view text;
};

std::span<const SharedFile> shared_files();

}  // namespace shardproof::cli
