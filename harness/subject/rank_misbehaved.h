#pragma once

#include <stdexcept>

namespace shardproof {

/// Thrown on a rank's thread by an adapter whose subject did what no subject may do; the outcome is
/// then Misbehaved.
class RankMisbehaved : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace shardproof
