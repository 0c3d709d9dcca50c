#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/run/shrink.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

constexpr int kSeeds = 100;
constexpr int kMostToShrink = 200;  // executions
/// Of a run, random cases begin before this one.
constexpr int kFirstRandomCase = 300;

/// What a subject shrank to, over all seeds.
struct Statistics {
  std::map<std::string, int> forms;  ///< the property, then the case as a report describes it
  int most_to_find = 0;              ///< executions
  int most_to_shrink = 0;
  int missed = 0;
  int not_fully_shrunk = 0;

  void add(const RunResult& result) {
    if (!result.finding) {
      ++missed;
      return;
    }
    const Finding& finding = *result.finding;
    ++forms[finding.property + ": " + describe(*finding.minimal.problem, SubjectKind::train_step)];
    most_to_find = std::max(most_to_find, finding.executions_to_find);
    most_to_shrink = std::max(most_to_shrink, finding.executions_to_shrink);
    if (!finding.fully_shrunk) ++not_fully_shrunk;
  }
};

std::string listed(const Statistics& statistics) {
  std::string text;
  for (const auto& [form, count] : statistics.forms) {
    text += std::to_string(count) + " times " + form + "\n";
  }
  return text;
}

/// Runs `properties` over the cases of each seed from `first_case` on.
Statistics statistics(const std::string& name, Dtype dtype, std::span<const Property> properties,
                      int first_case) {
  Statistics found;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::unique_ptr<Subject> subject = make_builtin(name);
    const DrawOptions draw{.dtypes = {dtype}};
    RunOptions options;
    options.draw = [&](int index) {
      return draw_case(static_cast<std::uint64_t>(seed), first_case + index, subject->claim(),
                       subject->kind(), draw);
    };
    found.add(run(*subject, properties, options));
  }
  return found;
}

/// The one smallest case of a subject, where it is pinned.
struct Pinned {
  std::string subject;
  std::string form;
};

const std::vector<Pinned>& pinned() {
  static const std::string start =
      "matches_reference: parameters  kernel [0]  learning rate 0.25\n";
  static const std::vector<Pinned> all{
      {"psum", start + "rank 0  1 row  x [1]  y [1]\n"
                       "rank 1  1 row  x [0]  y [0]\n"},
      {"mean-of-means", start + "rank 0  1 row  x [1]  y [1]\n"
                                "rank 1  no rows\n"},
      {"padded-denominator", start + "rank 0  1 row  x [1]  y [1]\n"
                                     "rank 1  1 row (1 padded)  x ~[0]  y ~[0]\n"}};
  return all;
}

TEST(ShrinkStatistics, TheThreeClassicMistakesEndInOneFormWithin60Executions) {
  for (const Pinned& expected : pinned()) {
    for (Dtype dtype : all_dtypes()) {
      const Statistics found = statistics(expected.subject, dtype, all_properties(), 0);
      ASSERT_EQ(found.missed, 0) << expected.subject;
      EXPECT_EQ(found.forms, (std::map<std::string, int>{{expected.form, kSeeds}}))
          << expected.subject << "\n"
          << listed(found);
      EXPECT_EQ(found.not_fully_shrunk, 0) << expected.subject;
      EXPECT_LE(found.most_to_find, 40) << expected.subject;
      EXPECT_LE(found.most_to_shrink, 60) << expected.subject;
    }
  }
}

TEST(ShrinkStatistics, FromRandomCasesTheyEndInTheSameForm) {
  const std::vector<Property> reference = matching_properties("matches_reference");
  for (const Pinned& expected : pinned()) {
    for (Dtype dtype : all_dtypes()) {
      const Statistics found = statistics(expected.subject, dtype, reference, kFirstRandomCase);
      ASSERT_EQ(found.missed, 0) << expected.subject;
      EXPECT_EQ(found.forms, (std::map<std::string, int>{{expected.form, kSeeds}}))
          << expected.subject << "\n"
          << listed(found);
      EXPECT_LE(found.most_to_shrink, 60) << expected.subject;
    }
  }
}

TEST(ShrinkStatistics, EveryWrongSubjectEndsInOneForm) {
  for (const BuiltinSubject& subject : builtin_subjects()) {
    if (subject.right) continue;
    for (Dtype dtype : all_dtypes()) {
      const Statistics found = statistics(subject.name, dtype, all_properties(), 0);
      EXPECT_EQ(found.missed, 0) << subject.name;
      EXPECT_EQ(found.not_fully_shrunk, 0) << subject.name;
      EXPECT_EQ(found.forms.size(), 1U) << subject.name << "\n" << listed(found);
      EXPECT_LE(found.most_to_shrink, kMostToShrink) << subject.name;
    }
  }
}

}  // namespace
}  // namespace shardproof
