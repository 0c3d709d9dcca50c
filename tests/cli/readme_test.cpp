// What the README shows is what the program prints and what the examples say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "program.h"

namespace shardproof::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

/// The contents of every fenced block of that language.
std::vector<std::vector<std::string>> blocks(const std::string& language) {
  std::vector<std::vector<std::string>> found;
  bool inside = false;
  for (const std::string& line : lines_of(contents(fs::path(SHARDPROOF_SOURCE) / "README.md"))) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      found.back().push_back(line);
    } else if (line == "```" + language) {
      inside = true;
      found.emplace_back();
    }
  }
  return found;
}

struct Shown {
  std::string command;
  std::string output;
};

/// `$ command` lines and what follows each.
std::vector<Shown> commands(const std::vector<std::string>& block) {
  std::vector<Shown> shown;
  for (const std::string& line : block) {
    if (line.starts_with("$ ")) {
      shown.push_back({line.substr(2), ""});
    } else if (!shown.empty()) {
      shown.back().output += line + "\n";
    }
  }
  return shown;
}

class Readme : public ProgramTest {
 protected:
  /// What a shell prints for a command line, with the program on its path.
  [[nodiscard]] std::string printed(const std::string& command) const {
    const fs::path out = directory_ / "shown";
    const std::string path = fs::path(SHARDPROOF_PROGRAM).parent_path().string();
    const std::string line = "cd '" + directory_.string() + "' && PATH='" + path + "':$PATH && { " +
                             command + "; } > '" + out.string() + "' 2>&1";
    EXPECT_NE(std::system(line.c_str()), -1);
    return contents(out);
  }
};

TEST_F(Readme, ShowsWhatItsCommandsPrint) {
  for (const char* folder : {"tests", "harness"}) {  // as from the root of the sources
    fs::create_directory_symlink(fs::path(SHARDPROOF_SOURCE) / folder, directory_ / folder);
  }
  int count = 0;
  for (const std::vector<std::string>& block : blocks("console")) {
    for (const Shown& shown : commands(block)) {
      ++count;
      EXPECT_EQ(shown.output, printed(shown.command)) << "$ " << shown.command;
    }
  }
  EXPECT_GE(count, 5);
}

TEST_F(Readme, ShowsTheCodeOfTheExamples) {
  const std::string example =
      contents(fs::path(SHARDPROOF_SOURCE) / "tests/examples/weighted_mean_test.cpp");
  const auto shown = blocks("cpp");
  ASSERT_FALSE(shown.empty());
  for (const std::string& line : shown.front()) {
    EXPECT_NE(example.find(line + "\n"), std::string::npos) << line;
  }
}

TEST_F(Readme, ShowsTheProgramThatNeedsNoLibrary) {
  const auto programs = blocks("python");
  ASSERT_FALSE(programs.empty());
  std::string shown;
  for (const std::string& line : programs.front()) shown += line + "\n";
  EXPECT_EQ(shown, contents(fs::path(SHARDPROOF_SOURCE) / "tests/examples/plain_reducer.py"));
}

}  // namespace
}  // namespace shardproof::testing
