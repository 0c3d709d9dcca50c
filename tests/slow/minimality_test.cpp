// Shrunk cases of wrong subjects of unlike families against every simpler case of a small domain.

#include "shardproof/properties/minimality.h"

#include <gtest/gtest.h>

#include <iostream>

namespace shardproof {

// How GoogleTest, which looks for this name, prints the parameter of a test.
void PrintTo(const MinimalityQuestion& question, std::ostream* out) { *out << question.subject; }

namespace {

class ShrunkCase : public testing::TestWithParam<MinimalityQuestion> {};

TEST_P(ShrunkCase, IsRefutedAndNoSimplerOneOfTheSmallDomain) {
  const MinimalityAnswer found = answer(GetParam(), 1, {});
  std::cout << text_report(found);
  EXPECT_TRUE(minimal(found)) << text_report(found);
}

INSTANTIATE_TEST_SUITE_P(, ShrunkCase, testing::ValuesIn(minimality_questions()));

}  // namespace
}  // namespace shardproof
