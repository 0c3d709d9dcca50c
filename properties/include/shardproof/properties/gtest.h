#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "shardproof/judge/property.h"
#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/subject.h"

/// Registers one test a property: `SuiteName.Keeps/matches_reference` and so on.
///
///     std::unique_ptr<shardproof::Subject> my_ring();
///     SHARDPROOF_CHECK(MyRing, my_ring())
///     SHARDPROOF_CHECK(MyRingLonger, my_ring(), .seed = 7, .run = {.cases = 5000})
///
/// Each test makes its own subject. A failure prints the report of `shardproof check`; a property
/// that applies to none of the drawn cases is skipped with its reason. What follows the subject
/// initialises CheckOptions; without it the seed is 0, so that every run is the same.
#define SHARDPROOF_CHECK(SuiteName, make_subject, ...)                                       \
  class SuiteName : public ::testing::TestWithParam<::shardproof::Property> {};              \
  TEST_P(SuiteName, Keeps) {                                                                 \
    const ::std::unique_ptr<::shardproof::Subject> subject = make_subject;                   \
    ::shardproof::expect_kept(GetParam(), *subject, ::shardproof::CheckOptions{__VA_ARGS__}, \
                              __FILE__, __LINE__);                                           \
  }                                                                                          \
  INSTANTIATE_TEST_SUITE_P(, SuiteName, ::testing::ValuesIn(::shardproof::all_properties()), \
                           ::shardproof::property_test_name)

namespace shardproof {

/// How GoogleTest, which looks for this name, prints the parameter of a test.
inline void PrintTo(const Property& property, std::ostream* out) { *out << property.name; }

inline std::string property_test_name(const ::testing::TestParamInfo<Property>& info) {
  return info.param.name;
}

/// Checks one property and tells the running test: a failure at `file` and `line`, or a skip.
inline void expect_kept(const Property& property, Subject& subject, CheckOptions options,
                        const char* file, int line) {
  const ReportHeader header{.subject = subject.name(),
                            .kind = subject.kind(),
                            .claim = subject.claim(),
                            .seed = options.seed,
                            .found_file = {},
                            .minimal_file = {}};
  options.properties = {property};
  const RunResult result = check(subject, std::move(options));
  const Tally& tally = result.tallies.front();
  if (result.finding) {
    ADD_FAILURE_AT(file, line) << text_report(header, result);
  } else if (tally.passed + tally.skipped == 0) {
    ADD_FAILURE_AT(file, line) << property.name << ": no case was executed";
  } else if (tally.passed == 0) {
    GTEST_SKIP() << tally.first_skip_reason;
  }
}

}  // namespace shardproof
