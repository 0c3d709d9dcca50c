#pragma once

#include <span>
#include <string_view>

namespace shardproof::cli {

/// A file that the program carries: of cli/share/, or the header of the C interface.
struct SharedFile {
  std::string_view name;  ///< its path from cli/share/
  std::string_view text;
};

std::span<const SharedFile> shared_files();

}  // namespace shardproof::cli
