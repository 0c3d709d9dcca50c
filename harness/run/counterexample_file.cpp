#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/run/counterexample.h"

namespace shardproof {
namespace {

// Far above the largest case that `validate` admits would take minutes to write; what is larger is
// no counterexample, and a device that never ends must not fill the memory.
constexpr std::size_t kLargestFile = std::size_t{1} << 28U;

std::string reason(int error) { return std::generic_category().message(error); }

class File {
 public:
  explicit File(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw InputError(path, "cannot be read: " + reason(errno));
  }
  ~File() { std::fclose(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Fewer than `most` bytes only at the end of the file.
  std::size_t read(char* to, std::size_t most) {
    const std::size_t got = std::fread(to, 1, most, file_);
    if (std::ferror(file_) != 0) throw InputError(path_, "cannot be read: " + reason(errno));
    return got;
  }

 private:
  const std::string& path_;
  std::FILE* file_;
};

// A text that was never filled with zeros: a huge file costs what reading it costs.
struct Text {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;

  [[nodiscard]] std::string_view view() const { return {bytes.get(), size}; }
};

Text read_file(const std::string& path) {
  std::error_code error;
  if (path.empty()) throw InputError("", "the name of a file is empty");
  if (std::filesystem::is_directory(path, error)) throw InputError(path, "is a directory");
  File file(path);
  const auto check_size = [&](std::uintmax_t size) {
    if (size <= kLargestFile) return;
    throw InputError(path, "is larger than " + std::to_string(kLargestFile) + " bytes");
  };
  // A pipe or device tells no size; a file that grows meanwhile is read to its end all the same.
  const auto told = std::filesystem::file_size(path, error);
  if (!error) check_size(told);
  std::size_t room = (error ? 0 : static_cast<std::size_t>(told)) + 1;
  Text text{std::unique_ptr<char[]>(new char[room])};
  while (true) {
    text.size += file.read(text.bytes.get() + text.size, room - text.size);
    check_size(text.size);
    if (text.size < room) return text;
    std::unique_ptr<char[]> larger(new char[room * 2 + 4096]);
    std::copy_n(text.bytes.get(), text.size, larger.get());
    text.bytes = std::move(larger);
    room = room * 2 + 4096;
  }
}

}  // namespace

Counterexample load_counterexample(const std::string& path) {
  const Text text = read_file(path);
  if (text.size == 0) throw InputError(path, "is empty");
  return parse_counterexample(text.view(), path);
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
