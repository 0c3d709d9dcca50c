// The catalogue of faults, as the program and docs/faults.md show it, and the verb that judges by
// it.

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "shardproof/subject/fault_catalogue.h"

namespace shardproof::testing {
namespace {

std::string document() {
  return contents(std::filesystem::path(SHARDPROOF_SOURCE) / "docs" / "faults.md");
}

TEST(FaultsDocument, HoldsEveryReportWithItsSource) {
  const std::string text = document();
  for (const ReportedFault& fault : reported_faults()) {
    const std::string row =
        "| " + fault.id + " | " + std::to_string(fault.year) + " | " + fault.what + " | ";
    const std::size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row;
    const std::string rest = text.substr(at, text.find('\n', at) - at);
    EXPECT_NE(rest.find('(' + fault.url + ')'), std::string::npos) << fault.id;
    const std::string& planted_as = fault.left_out.empty() ? fault.known : fault.left_out;
    EXPECT_NE(rest.find(planted_as), std::string::npos) << fault.id;
  }
}

TEST(FaultsDocument, HoldsEveryKnownArithmetic) {
  const std::string text = document();
  for (const KnownFault& fault : known_faults()) {
    const std::string row = "| " + fault.name + " | " + std::string(name(fault.family)) + " | " +
                            fault.formula + ": " + fault.meaning + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

using ListFaults = ProgramTest;

TEST_F(ListFaults, PrintsEveryReportOnceWithItsSourceAndWhatIsLeftOut) {
  const Ended listed = run({"list", "faults"});
  EXPECT_EQ(listed.status, 0);
  for (const ReportedFault& fault : reported_faults()) {
    const std::string line = "\n  " + fault.id + "  ";
    const std::size_t at = listed.out.find(line);
    ASSERT_NE(at, std::string::npos) << fault.id;
    EXPECT_EQ(listed.out.find(line, at + 1), std::string::npos) << fault.id;
    EXPECT_NE(listed.out.find(fault.url), std::string::npos) << fault.id;
  }
  EXPECT_NE(listed.out.find("because needs two axes"), std::string::npos);
}

TEST_F(ListFaults, RefusesAnythingElse) {
  expect_refused(run({"list", "laws"}), "shardproof list: cannot list `laws`; known: faults");
}

using Mutate = ProgramTest;

TEST_F(Mutate, RefusesWhatDoesNotFitBeforeItJudgesAnything) {
  expect_refused(run({"mutate", "--cases", "0"}), "shardproof mutate: --cases must be at least 1");
  expect_refused(run({"mutate", "--seeds", "none"}), "shardproof mutate: --seeds must be a whole");
  expect_refused(run({"mutate", "--json", "a", "--markdown", "a"}),
                 "shardproof mutate: --markdown a: is the file of --json");
  expect_refused(run({"mutate", "--markdown", "no/such.md"}),
                 "shardproof mutate: --markdown no/such.md: there is no directory");
  expect_refused(run({"mutate", "ring"}), "shardproof mutate: unknown argument `ring`");
}

}  // namespace
}  // namespace shardproof::testing
