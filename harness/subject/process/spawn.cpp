#include "subject/process/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "subject/process/descriptors.h"

namespace shardproof {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> found;
  // exec takes them as writable and does not write.
  for (const std::string& text : texts) found.push_back(const_cast<char*>(text.c_str()));
  found.push_back(nullptr);
  return found;
}

/// Copies beyond all the numbers that the program is to see, so that moving one there never
/// overwrites another.
std::vector<Descriptor> out_of_the_way(const std::vector<int>& descriptors) {
  std::vector<Descriptor> copies;
  for (const int each : descriptors) {
    copies.emplace_back(
        each < 0 ? -1 : fcntl(each, F_DUPFD_CLOEXEC, static_cast<int>(descriptors.size())));
    if (each >= 0 && !copies.back().is_open()) {
      throw std::system_error(errno, std::generic_category(), "descriptors");
    }
  }
  return copies;
}

}  // namespace

pid_t spawn(const Spawn& what) {
  const std::vector<Descriptor> copies = out_of_the_way(what.descriptors);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].is_open()) {
      posix_spawn_file_actions_adddup2(&actions, copies[i].get(), static_cast<int>(i));
    }
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is the harness's alone
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  const int error = posix_spawn(&process, what.arguments.front().c_str(), &actions, &attributes,
                                pointers(what.arguments).data(), pointers(what.environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), what.arguments.front());
  return process;
}

}  // namespace shardproof
