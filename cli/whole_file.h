#pragma once

#include <string>
#include <string_view>

namespace shardproof::cli {

/// Refuses early what `write_whole_file` could not write later: a directory, or a file in none.
/// \throws InputError  naming the option
void check_writable(std::string_view option, const std::string& path);

/// Writes a file that appears complete under its name or not at all.
/// \throws InputError  when it cannot be written
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace shardproof::cli
