#include "subject/process/descendants.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

namespace shardproof {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_of(pid_t process, const char* what) {
  return File(std::fopen(("/proc/" + std::to_string(process) + what).c_str(), "re"));
}

/// 0 where the process has gone.
pid_t parent_of(pid_t process) {
  const File file = open_of(process, "/stat");
  if (!file) return 0;
  char text[512];
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file.get());
  text[length] = '\0';
  // The name stands in parentheses and may contain any of them: the last one closes it.
  const char* end = std::strrchr(text, ')');
  int parent = 0;
  char state = 0;
  if (end == nullptr || std::sscanf(end + 1, " %c %d", &state, &parent) != 2) return 0;
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* directory = opendir("/proc");
  if (directory == nullptr) return children;
  while (const dirent* entry = readdir(directory)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    children.emplace(parent_of(process), process);
  }
  closedir(directory);
  return children;
}

void reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace

std::vector<pid_t> descendants() {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    for (auto it = first; it != last; ++it) found.push_back(it->second);
  };
  add_children_of(getpid());
  for (std::size_t i = 0; i < found.size(); ++i) add_children_of(found[i]);
  return found;
}

std::uint64_t resident_bytes(const std::vector<pid_t>& processes) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t bytes = 0;
  for (const pid_t process : processes) {
    const File file = open_of(process, "/statm");
    unsigned long total = 0;
    unsigned long resident = 0;
    if (file && std::fscanf(file.get(), "%lu %lu", &total, &resident) == 2) {
      bytes += resident * page;
    }
  }
  return bytes;
}

void kill_descendants() {
  while (true) {
    const std::vector<pid_t> found = descendants();
    if (found.empty()) return;
    for (const pid_t process : found) kill(process, SIGKILL);
    // The dead are reaped, their children come to this process; a moment for those that are dying.
    reap();
    usleep(1000);
    reap();
  }
}

}  // namespace shardproof
