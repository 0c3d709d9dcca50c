#include "whole_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "shardproof/case/error.h"

namespace shardproof::cli {

void check_writable(std::string_view option, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto refuse = [&](const std::string& what) {
    throw InputError("", std::string(option) + ' ' + path + ": " + what);
  };
  if (fs::is_directory(path, ignored)) refuse("is a directory");
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, ignored)) {
    refuse("there is no directory " + parent.string());
  }
  if (access(parent.empty() ? "." : parent.c_str(), W_OK) != 0) refuse("cannot be written");
}

void write_whole_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  // A device or pipe, such as /dev/stdout, must be written to and never be replaced.
  std::error_code error;
  const bool in_place = fs::exists(path, error) && !fs::is_regular_file(path, error);
  const std::string target = in_place ? path : path + ".unfinished-" + std::to_string(getpid());
  {
    std::ofstream file(target, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) throw InputError(path, "cannot be written");
  }
  if (in_place) return;
  fs::rename(target, path, error);
  if (error) throw InputError(path, "cannot be written: " + error.message());
}

}  // namespace shardproof::cli
