#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace shardproof {

/// Input that cannot be used: a flag, a file, a case. Its text is one line that names the place.
class InputError : public std::runtime_error {
 public:
  /// \param place  where it stands, such as `steps[0].shards[2]`; may be empty
  /// \param what   the thing and what was allowed
  InputError(std::string_view place, std::string_view what);
};

}  // namespace shardproof
