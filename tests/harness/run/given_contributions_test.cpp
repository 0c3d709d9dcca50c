#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "shardproof/case/error.h"
#include "shardproof/run/counterexample.h"

namespace shardproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

// The line with which a text is refused; empty when it is read.
std::string refusal(std::string_view text) {
  try {
    parse_counterexample(text, "a.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Of one layer with a bias: unequal counts, padding, a shard without rows, cancelling values.
Counterexample handed_in(InputForm form, Dtype dtype) {
  Counterexample example;
  example.subject = "ring";
  example.property = "matches_reference";
  Case& problem = example.problem;
  problem.model = {1, {{1, true}}, {0.25, -3}};
  const Step step{{Shard{{MicroBatch{{1, 0.75, 64}, {2, -5, 0.125}, {1, 1, 0}, {}}}},
                   Shard{{MicroBatch{{3}, {-7}, {1}, {}}}},
                   Shard{{MicroBatch{{1}, {1}, {0}, {}}}}}};
  problem.steps = {step, step};
  problem.mesh = {{{"data", 3}}};
  problem.dtype = dtype;
  Claim claim;
  claim.input = form;
  claim.accumulates_in_16_bits = true;
  claim.padding = PaddingContent::any;
  example.claim = settings(claim);
  problem = with_contributions(std::move(problem), form);
  return example;
}

// Another reducer than the one that the file is about would be refuted for what it was handed.
TEST(GivenContributions, MustBelongToTheirRows) {
  for (const InputForm form :
       {InputForm::local_mean, InputForm::local_sum, InputForm::global_mean}) {
    for (const Dtype dtype : all_dtypes()) {
      Counterexample example = handed_in(form, dtype);
      EXPECT_EQ(refusal(to_json(example)), "");
      const GivenContributions right = *example.problem.given;
      // The place that is refused in shard `shard` of the second step; empty when all are read.
      const auto refused = [&](std::size_t shard, const auto& change) {
        GivenContributions other = right;
        change(other.items[1][shard][0]);
        example.problem.given = std::make_shared<const GivenContributions>(other);
        const std::string line = refusal(to_json(example));
        return line.substr(0, line.find(": ", line.find("given")));
      };
      const std::string place = "a.json: case: given[1][";
      // Another machine may have rounded in another way.
      if (!has_16_bits(dtype)) {  // where one rounding to 16 bits hides such differences
        EXPECT_EQ(refused(0, [&](auto& item) { item.loss = next_up(dtype, item.loss); }), "");
      }
      EXPECT_EQ(refused(0, [](auto& item) { item.loss *= 2; }), place + "0][0].loss");
      EXPECT_EQ(refused(2, [](auto& item) { item.loss = 1; }), place + "2][0].loss");
      for (const double wrong : {kNan, kInfinity, 1e30}) {
        for (const std::size_t shard : {0U, 1U, 2U}) {
          EXPECT_EQ(refused(shard, [&](auto& item) { item.gradient[1] = round_to(dtype, wrong); }),
                    place + std::to_string(shard) + "][0].gradient[1]");
        }
      }
    }
  }
}

TEST(GivenContributions, OfAnotherFormAreRefused) {
  Counterexample example = handed_in(InputForm::local_sum, Dtype::f32);
  example.claim = "input=local-mean";
  EXPECT_EQ(refusal(to_json(example)),
            "a.json: case: given[0][0][0].gradient[0]: -6.21875 does not belong to the rows, which "
            "give -199/64");
}

}  // namespace
}  // namespace shardproof
