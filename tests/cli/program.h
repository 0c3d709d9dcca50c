#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardproof::testing {

/// How a run of the program ended.
struct Ended {
  int status = -1;  ///< exit status; 128 + N where signal N ended it
  std::string out;
  std::string err;
  double seconds = 0;  ///< of processor time, whatever else the machine does
};

/// The program, running. CI and the terminal of whoever runs the tests do not reach it.
class Running {
 public:
  /// \param environment  `NAME=VALUE`, all that the program sees
  /// \param out          the file that stdout is; empty: stdout is closed
  Running(std::vector<std::string> arguments, const std::filesystem::path& directory,
          std::vector<std::string> environment, const std::string& out = ".stdout");

  void signal(int number) const;
  [[nodiscard]] Ended wait();

 private:
  pid_t child_ = 0;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

std::string contents(const std::filesystem::path& file);

/// A test with a directory of its own, in which the program runs.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs `shardproof ARGUMENTS…` to its end.
  [[nodiscard]] Ended run(std::vector<std::string> arguments,
                          std::vector<std::string> environment = {}) const;
  [[nodiscard]] Running start(std::vector<std::string> arguments) const;

  /// Saves a counterexample of `psum` and returns its path.
  [[nodiscard]] std::filesystem::path saved_counterexample() const;
  std::filesystem::path write(std::string_view name, std::string_view text) const;

  std::filesystem::path directory_;
};

/// Exit status 2, nothing on stdout, and one line on stderr that begins with `line`.
void expect_refused(const Ended& ended, std::string_view line);

}  // namespace shardproof::testing
