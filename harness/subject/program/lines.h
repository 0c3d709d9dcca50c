#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shardproof {

/// Takes whole lines from the front of what has come.
class Lines {
 public:
  /// The next line without its end; nothing where it has not come in full.
  std::optional<std::string> take(std::string& received);
  void forget() { searched_ = 0; }

 private:
  std::size_t searched_ = 0;  ///< so many bytes hold no end of a line
};

/// The beginning of what has come, in quotes and on one line.
std::string beginning_of(std::string_view text);

/// The last line that is not blank, in the same way; empty where there is none.
std::string last_line_of(std::string_view text);

}  // namespace shardproof
