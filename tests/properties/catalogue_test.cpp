// Every property refutes a fault; every law one that nothing else refutes; right subjects keep all.

#include <gtest/gtest.h>

#include <algorithm>

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {
namespace {

constexpr int kCases = 120;

std::vector<Property> only(std::string_view name) { return matching_properties(name); }

std::vector<Property> all_but(std::string_view name) {
  std::vector<Property> others;
  for (const Property& property : all_properties()) {
    if (property.name != name) others.push_back(property);
  }
  return others;
}

RunResult checked(const std::string& subject_name, std::vector<Property> properties,
                  std::uint64_t seed, int cases = kCases) {
  const std::unique_ptr<Subject> subject = make_builtin(subject_name);
  CheckOptions options{.properties = std::move(properties), .seed = seed};
  options.run.cases = cases;
  options.run.shrink_budget = 0;
  return check(*subject, std::move(options));
}

std::string first_sentence(const RunResult& result) {
  return result.finding ? result.finding->property + ": " + result.finding->found.failure.sentence
                        : "";
}

struct Pair {
  std::string property;
  std::string fault;
  friend std::ostream& operator<<(std::ostream& out, const Pair& pair) {
    return out << pair.property << " and " << pair.fault;
  }
};

class EveryProperty : public testing::TestWithParam<Pair> {};

TEST_P(EveryProperty, RefutesAFault) {
  const RunResult result = checked(GetParam().fault, only(GetParam().property), 1);
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->property, GetParam().property);
}

class EveryLaw : public testing::TestWithParam<Pair> {};

TEST_P(EveryLaw, RefutesAFaultThatNothingElseRefutes) {
  const RunResult result = checked(GetParam().fault, all_but(GetParam().property), 1);
  EXPECT_FALSE(result.finding) << first_sentence(result);
  EXPECT_GT(result.executions, kCases / 2);
}

const std::vector<Pair> kLaws{
    {"matches_reference", "psum"},
    {"ranks_agree", "unequal-bits"},
    {"repeatable", "changing-order"},
    {"inputs_untouched", "input-overwritten"},
    {"padding_is_invisible", "long-padding"},
    {"all_empty_gives_no_number", "nan-from-nothing"},
    {"loss_is_pre_update", "summed-loss"},
    {"count_and_norm_are_true", "ranks-as-count"},
    {"one_update_per_leaf", "update-twice"},
};

const std::vector<Pair> kViews{
    {"equal_shards", "psum"},
    {"unequal_counts", "mean-of-means"},
    {"masked_count", "padded-denominator"},
    {"empty_rank", "mean-of-means"},
    {"single_rank", "last-micro-batch"},
    {"micro_batches", "last-micro-batch"},
    {"second_step", "stale-step"},
    {"many_leaves", "leaves-swapped"},
    {"learning_rate_moves_only_parameters", "loss-after-update"},
};

std::string fault_name(const testing::TestParamInfo<Pair>& info) { return info.param.property; }

INSTANTIATE_TEST_SUITE_P(Laws, EveryProperty, testing::ValuesIn(kLaws), fault_name);
INSTANTIATE_TEST_SUITE_P(Views, EveryProperty, testing::ValuesIn(kViews), fault_name);

// psum is refuted by every view too: matches_reference is what all views have in common.
INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, testing::ValuesIn(kLaws.begin() + 1, kLaws.end()),
                         fault_name);

TEST(Catalogue, EveryPropertyHasAFaultHere) {
  for (const Property& property : all_properties()) {
    const auto& pairs = property.kind == PropertyKind::law ? kLaws : kViews;
    EXPECT_TRUE(std::ranges::any_of(pairs, [&](const Pair& pair) {
      return pair.property == property.name;
    })) << property.name;
  }
}

std::vector<std::string> names_of(bool right) {
  std::vector<std::string> names;
  for (const BuiltinSubject& subject : builtin_subjects()) {
    if (subject.right == right) names.push_back(subject.name);
  }
  if (!right) return names;
  for (const char* topology : {"sequential", "tree", "ring", "halving-doubling", "hierarchical"}) {
    for (const char* scaling :
         {"divide-after", "divide-before", "weight-by-count", "sum-over-count"}) {
      for (const char* accumulate : {"case", "f32", "f64"}) {
        names.push_back(std::string(topology) + ":" + scaling + ":" + accumulate);
      }
    }
  }
  return names;
}

std::string subject_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == ':'; }, '_');
  return name;
}

class RightSubject : public testing::TestWithParam<std::string> {};

TEST_P(RightSubject, KeepsEveryProperty) {
  for (std::uint64_t seed : {1, 2}) {
    const RunResult result = checked(GetParam(), {}, seed);
    EXPECT_FALSE(result.finding) << "seed " << seed << ", case " << result.finding->case_index
                                 << ": " << first_sentence(result);
    EXPECT_GT(result.tallies.front().passed, kCases / 2);
  }
}

class WrongSubject : public testing::TestWithParam<std::string> {};

TEST_P(WrongSubject, IsRefuted) {
  for (std::uint64_t seed : {1, 2}) {
    EXPECT_TRUE(checked(GetParam(), {}, seed).finding) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Builtin, RightSubject, testing::ValuesIn(names_of(true)),
                         subject_test_name);
INSTANTIATE_TEST_SUITE_P(Builtin, WrongSubject, testing::ValuesIn(names_of(false)),
                         subject_test_name);

}  // namespace
}  // namespace shardproof
