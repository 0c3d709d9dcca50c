#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace shardproof::cli {

/// An option whose value `read` takes. CLI11 only takes the line apart; values are read by us, so
/// that a refusal is one plain line.
void on_text(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::function<void(const std::string&)> read);

/// An option that is a path. An empty one, as of a variable that is not set, must not mean that
/// nothing is written, and is refused.
void on_path(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::string& to);

}  // namespace shardproof::cli
