#pragma once

#include <string>
#include <string_view>

namespace shardproof {

/// `text` as it may stand in a sentence, whoever wrote it: in one line, without anything that a
/// terminal acts on or that cuts a string off, and not too long to be read.
std::string one_line(std::string_view text);

}  // namespace shardproof
