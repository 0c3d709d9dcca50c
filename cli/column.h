#pragma once

#include <string>
#include <string_view>

namespace shardproof::cli {

/// `text` filled up with spaces to `width`, and two more before the next column.
inline std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  if (out.size() < width) out.resize(width, ' ');
  return out + "  ";
}

}  // namespace shardproof::cli
