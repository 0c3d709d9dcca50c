#include "shardproof/properties/gtest.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

SHARDPROOF_CHECK(RegisteredKahan, make_builtin("kahan"), .seed = 3, .run = {.cases = 20});

/// What GoogleTest is told about a built-in subject, without telling the running test.
std::vector<testing::TestPartResult> told(std::string_view property, std::string_view subject,
                                          int cases) {
  const std::unique_ptr<Subject> made = make_builtin(subject);
  CheckOptions options;
  options.run.cases = cases;
  testing::TestPartResultArray parts;
  const testing::ScopedFakeTestPartResultReporter interception(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &parts);
  expect_kept(matching_properties(property).front(), *made, options, "a_test.cpp", 12);
  std::vector<testing::TestPartResult> results;
  for (int i = 0; i < parts.size(); ++i) results.push_back(parts.GetTestPartResult(i));
  return results;
}

TEST(GoogleTestOfASubject, HasOneTestForEveryPropertyUnderItsName) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  const testing::TestSuite* suite = nullptr;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite* candidate = all.GetTestSuite(i);
    if (std::string_view(candidate->name()) == "RegisteredKahan") suite = candidate;
  }
  ASSERT_NE(suite, nullptr);
  ASSERT_EQ(suite->total_test_count(), static_cast<int>(all_properties().size()));
  for (int i = 0; i < suite->total_test_count(); ++i) {
    const std::string& name = all_properties()[static_cast<std::size_t>(i)].name;
    EXPECT_EQ(suite->GetTestInfo(i)->name(), "Keeps/" + name);
    EXPECT_EQ(suite->GetTestInfo(i)->value_param(), name);
  }
}

TEST(GoogleTestOfASubject, FailsWhereTheMacroStandsWithTheReportOfTheProgram) {
  const std::vector<testing::TestPartResult> parts = told("matches_reference", "psum", 50);
  ASSERT_EQ(parts.size(), 1U);
  const testing::TestPartResult& part = parts[0];
  EXPECT_TRUE(part.nonfatally_failed());
  EXPECT_STREQ(part.file_name(), "a_test.cpp");
  EXPECT_EQ(part.line_number(), 12);

  const std::unique_ptr<Subject> psum = make_builtin("psum");
  CheckOptions options;
  options.properties = matching_properties("matches_reference");
  options.run.cases = 50;
  const ReportHeader header{.subject = "psum", .claim = psum->claim()};
  const std::string report = text_report(header, check(*psum, options));
  EXPECT_NE(std::string(part.message()).find(report), std::string::npos) << part.message();
}

TEST(GoogleTestOfASubject, SkipsAPropertyThatNeverAppliesAndSaysWhy) {
  const std::vector<testing::TestPartResult> parts = told("one_update_per_leaf", "ring", 20);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_TRUE(parts[0].skipped());
  EXPECT_STREQ(parts[0].message(), "a reducer updates nothing");
}

TEST(GoogleTestOfASubject, SaysNothingOfAPropertyThatIsKept) {
  EXPECT_EQ(told("ranks_agree", "ring", 20).size(), 0U);
}

TEST(GoogleTestOfASubject, FailsWhenNoCaseWasExecuted) {
  const std::vector<testing::TestPartResult> parts = told("ranks_agree", "ring", 0);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_TRUE(parts[0].failed());
}

}  // namespace
}  // namespace shardproof
