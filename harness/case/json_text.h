#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shardproof {

/// The shortest decimal that reads back to the same binary64; `"NaN"`, `"Infinity"`, `"-Infinity"`
/// as strings. Every NaN becomes the same one.
std::string json_number(double value);

/// `[1,2.5]`
std::string json_numbers(std::span<const double> values);

/// `text` in quotes, escaped, always valid UTF-8.
std::string json_string(std::string_view text);

/// Length of the UTF-8 sequence that starts at `text[at]`, or 0 where none does.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
std::string as_utf8(std::string_view text);

}  // namespace shardproof
