#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shardproof/case/error.h"
#include "shardproof/subject/builtin.h"
#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {
namespace {

std::string refusal(std::string_view subject) {
  try {
    make_builtin(subject);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FaultCatalogue, HoldsEveryReportOnceWithItsSource) {
  std::set<std::string> ids;
  for (const ReportedFault& fault : reported_faults()) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " stands twice";
    EXPECT_TRUE(fault.url.starts_with("https://")) << fault.id;
    EXPECT_GE(fault.year, 2012) << fault.id;
    EXPECT_TRUE(fault.what.ends_with(".")) << fault.id;
  }
  EXPECT_EQ(ids.size(), 108U);
  EXPECT_TRUE(std::ranges::is_sorted(reported_faults(), {}, &ReportedFault::id));
}

TEST(FaultCatalogue, LeavesOutOnlyWhatItCannotPlantAndSaysWhy) {
  std::set<std::string> left_out;
  for (const ReportedFault& fault : reported_faults()) {
    if (!fault.left_out.empty()) left_out.insert(fault.id);
  }
  EXPECT_EQ(left_out,
            (std::set<std::string>{"D15", "G05", "L08", "M01", "P01", "P05", "P06", "P07", "P08"}));
  EXPECT_EQ(refusal("fault:G05"), "subject fault:G05: is not planted: needs two axes");
}

TEST(FaultCatalogue, PlantsTheKnownFaultThatAReportNames) {
  for (const ReportedFault& fault : reported_faults()) {
    const auto* planted = std::get_if<Fault>(&fault.planted.what);
    if (fault.known.empty() || planted == nullptr) continue;
    const KnownFault* known = find_known_fault(fault.known);
    ASSERT_NE(known, nullptr) << fault.id;
    EXPECT_EQ(planted->what, known->fault.what) << fault.id;
  }
}

TEST(FaultCatalogue, KnowsEachArithmeticOnce) {
  const auto all = known_faults();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i].name, all[j].name);
      EXPECT_NE(all[i].formula, all[j].formula) << all[i].name;
      EXPECT_FALSE(all[i].fault == all[j].fault) << all[i].name << " and " << all[j].name;
    }
  }
}

TEST(FaultCatalogue, MakesASubjectOfEveryFaultUnderItsName) {
  for (const ReportedFault& fault : reported_faults()) {
    if (!fault.left_out.empty()) continue;
    const auto subject = make_builtin("fault:" + fault.id);
    EXPECT_EQ(subject->name(), "fault:" + fault.id);
    EXPECT_NO_THROW(validate(subject->claim())) << fault.id;
  }
  for (const KnownFault& fault : known_faults()) {
    EXPECT_EQ(make_builtin("fault:" + fault.name)->name(), "fault:" + fault.name);
  }
}

TEST(FaultCatalogue, RefusesAnIdThatItDoesNotHold) {
  EXPECT_EQ(refusal("fault:Z99"),
            "subject fault:Z99: unknown fault 'Z99'; `shardproof list faults` names them");
  EXPECT_EQ(refusal("fault:"),
            "subject fault:: unknown fault ''; `shardproof list faults` names them");
}

TEST(Describe, SaysWhatAFaultDoesAndWhen) {
  EXPECT_EQ(describe(find_known_fault("mean-of-rank-means")->fault),
            "a mean weighs n_jk / (P n_j)");
  EXPECT_EQ(describe(find_known_fault("rank-1-missing")->fault), "a mean weighs 0 [rank 1]");
  EXPECT_EQ(describe(std::get<Fault>(find_reported_fault("I05")->planted.what)),
            "a mean weighs 2 n_jk / N, any other 0 [all ranks but 0, 4 ranks or fewer, leaves of 4 "
            "elements or more]");
  EXPECT_EQ(describe(Weight{.factor = 3, .divisor = 2}), "3 / 2");
}

}  // namespace
}  // namespace shardproof
