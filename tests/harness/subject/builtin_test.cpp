#include "shardproof/subject/builtin.h"

#include <gtest/gtest.h>

#include <set>

#include "shardproof/case/error.h"

namespace shardproof {
namespace {

std::string refusal(std::string_view text) {
  try {
    make_builtin(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BuiltinSubjects, EachIsMadeUnderItsNameAndKind) {
  std::set<std::string> names;
  for (const BuiltinSubject& builtin : builtin_subjects()) {
    const auto subject = make_builtin(builtin.name);
    EXPECT_EQ(subject->name(), builtin.name);
    EXPECT_EQ(subject->kind(), builtin.kind) << builtin.name;
    EXPECT_NO_THROW(validate(subject->claim())) << builtin.name;
    EXPECT_FALSE(builtin.summary.empty()) << builtin.name;
    EXPECT_TRUE(names.insert(builtin.name).second) << builtin.name << " stands twice";
  }
  EXPECT_GE(names.size(), 36U);
}

TEST(BuiltinSubjects, RightOnesStandFirst) {
  bool right = true;
  for (const BuiltinSubject& builtin : builtin_subjects()) {
    EXPECT_FALSE(builtin.right && !right) << builtin.name;
    right = builtin.right;
  }
}

TEST(BuiltinSubjects, TopologiesAndSgdTakeScalingAndDtype) {
  EXPECT_EQ(make_builtin("ring:divide-before:f64")->claim().accumulate, Dtype::f64);
  EXPECT_EQ(make_builtin("ring:divide-before:f64")->name(), "ring:divide-before:f64");
  const auto sgd = make_builtin("sgd:tree:sum-over-count");
  EXPECT_EQ(sgd->kind(), SubjectKind::train_step);
  EXPECT_EQ(sgd->claim().update, Update::from_returned);
}

TEST(BuiltinSubjects, ErrorNamesTheUnknownPartAndWhatIsKnown) {
  EXPECT_EQ(refusal("rings").substr(0, 50), "subject rings: unknown; known: sequential, tree, r");
  EXPECT_EQ(refusal("rings:f32").substr(0, 30), "subject rings:f32: unknown; kn");
  EXPECT_EQ(refusal("ring:f32"),
            "subject ring:f32: unknown scaling 'f32'; known: divide-after, divide-before, "
            "weight-by-count, sum-over-count");
  EXPECT_EQ(refusal("sgd:star").substr(0, 57),
            "subject sgd:star: sgd takes a topology, not 'star'; known");
  EXPECT_EQ(refusal("psum:ring"),
            "subject psum:ring: psum takes no ':ring'; topologies and sgd do");
  EXPECT_EQ(refusal("").substr(0, 25), "subject : unknown; known:");
}

}  // namespace
}  // namespace shardproof
