#include "cli/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace shardproof::testing {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Running::Running(std::vector<std::string> arguments, const std::filesystem::path& directory,
                 std::vector<std::string> environment, const std::string& out)
    : out_(directory / out), err_(directory / ".stderr") {
  arguments.insert(arguments.begin(), SHARDPROOF_PROGRAM);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFresh = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (out.empty()) {
    posix_spawn_file_actions_addclose(&actions, 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), kFresh, 0600);
  }
  posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), kFresh, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  const int error = posix_spawn(&child_, SHARDPROOF_PROGRAM, &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << "could not start " << SHARDPROOF_PROGRAM;
}

void Running::signal(int number) const { kill(child_, number); }

Ended Running::wait() {
  int status = 0;
  rusage used{};
  EXPECT_EQ(wait4(child_, &status, 0, &used), child_);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const bool kept = std::filesystem::is_regular_file(out_);
  return {code, kept ? contents(out_) : "", contents(err_),
          seconds(used.ru_utime) + seconds(used.ru_stime)};
}

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

ProgramTest::ProgramTest() {
  std::string name = (std::filesystem::temp_directory_path() / "shardproof-XXXXXX").string();
  directory_ = mkdtemp(name.data());
}

ProgramTest::~ProgramTest() { std::filesystem::remove_all(directory_); }

Ended ProgramTest::run(std::vector<std::string> arguments,
                       std::vector<std::string> environment) const {
  return Running(std::move(arguments), directory_, std::move(environment)).wait();
}

Running ProgramTest::start(std::vector<std::string> arguments) const {
  return {std::move(arguments), directory_, {}};
}

std::filesystem::path ProgramTest::saved_counterexample() const {
  const Ended ended = run({"check", "psum", "--claim", "world=2..16", "--seed", "1", "--property",
                           "matches_reference", "--save", "saved"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "saved")) {
    if (entry.path().string().ends_with("-found.json")) continue;
    if (entry.path().extension() == ".json") return entry.path();
  }
  ADD_FAILURE() << "nothing was saved";
  return {};
}

std::filesystem::path ProgramTest::write(std::string_view name, std::string_view text) const {
  const std::filesystem::path file = directory_ / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

void expect_refused(const Ended& ended, std::string_view line) {
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err.substr(0, line.size()), line);
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_EQ(ended.err.back(), '\n');
}

}  // namespace shardproof::testing
