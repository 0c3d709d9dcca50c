#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "shardproof/case/error.h"
#include "shardproof/run/counterexample.h"

namespace shardproof {
namespace {

// Far above the largest case that `validate` admits would take minutes to write; what is larger is
// no counterexample, and a device that never ends must not fill the memory.
constexpr std::size_t kLargestFile = std::size_t{1} << 29U;

std::string reason(int error) { return std::generic_category().message(error); }

std::string read_file(const std::string& path) {
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw InputError(path, "is a directory");
  }
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) throw InputError(path, "cannot be read: " + reason(errno));
  std::string text;
  for (std::size_t filled = 0;;) {
    text.resize(filled + (std::size_t{1} << 20U) + filled / 2);
    const std::size_t got = std::fread(text.data() + filled, 1, text.size() - filled, file.get());
    filled += got;
    if (filled > kLargestFile) {
      throw InputError(path, "is larger than " + std::to_string(kLargestFile) + " bytes");
    }
    if (std::ferror(file.get()) != 0) throw InputError(path, "cannot be read: " + reason(errno));
    if (got == 0) {
      text.resize(filled);
      return text;
    }
  }
}

}  // namespace

Counterexample load_counterexample(const std::string& path) {
  const std::string text = read_file(path);
  if (text.empty()) throw InputError(path, "is empty");
  return parse_counterexample(text, path);
}

void save_counterexample(const std::string& path, const Counterexample& counterexample) {
  // In the same directory, so that the rename stays within one file system; the process id keeps
  // two runs that save the same case apart.
  const std::string unfinished = path + ".unfinished-" + std::to_string(getpid());
  {
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file << to_json(counterexample);
    file.close();
    if (!file) {
      const int error = errno;
      std::error_code ignored;
      std::filesystem::remove(unfinished, ignored);
      throw InputError(path, "cannot be written: " + reason(error));
    }
  }
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  throw InputError(path, "cannot be written: " + error.message());
}

}  // namespace shardproof
