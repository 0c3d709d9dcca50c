#pragma once

#include <stdexcept>

namespace shardproof {

/// A subject that could not be started, in one line.
class StartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace shardproof
