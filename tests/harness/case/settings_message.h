#pragma once

#include <string>
#include <string_view>

#include "shardproof/case/claim.h"
#include "shardproof/case/error.h"

namespace shardproof {

/// The line with which settings of a claim are refused; `accepted` where they are not.
inline std::string message_of(std::string_view settings) {
  try {
    (void)with_settings({}, settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace shardproof
