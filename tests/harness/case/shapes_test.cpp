#include "shardproof/case/shapes.h"

#include <gtest/gtest.h>

#include "harness/case/settings_message.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/error.h"

namespace shardproof {
namespace {

/// Two ranks with a micro-batch of two rows each; two features, a layer of one output, no bias.
Case small_case() {
  const MicroBatch rows{.x = {1, 2, 3, 4}, .y = {0, 1}, .mask = {1, 1}, .absent = {}};
  return {.model = {.features = 2, .layers = {{1, false}}, .parameters = {0, 0}},
          .steps = {Step{{Shard{{rows}}, Shard{{rows}}}}},
          .mesh = {{{"data", 2}}},
          .dtype = Dtype::f32,
          .learning_rate = 0.5,
          .arrival = {},
          .given = nullptr};
}

std::string why(const char* settings, const Case& problem = small_case()) {
  return excluded_by(with_settings({}, settings), problem).value_or("");
}

TEST(ClaimedShapes, AdmitsTheirOwnCase) {
  EXPECT_EQ(why("world=2,rows=2,micro-batches=1,features=2,outputs=1,layers=1,steps=1,bias=no,"
                "absent=no"),
            "");
  EXPECT_EQ(why("rows=0..2,features=1..2,layers=1..9"), "");
}

TEST(ClaimedShapes, NameTheSizeThatIsOutside) {
  EXPECT_EQ(why("rows=3..4"), "2 rows of a micro-batch are not claimed (3 to 4)");
  EXPECT_EQ(why("micro-batches=2"), "1 micro-batches of a step are not claimed (2)");
  EXPECT_EQ(why("features=1"), "2 features are not claimed (1)");
  EXPECT_EQ(why("outputs=2"), "1 outputs of a layer are not claimed (2)");
  EXPECT_EQ(why("layers=2..3"), "1 layers are not claimed (2 to 3)");
  EXPECT_EQ(why("steps=2"), "1 steps are not claimed (2)");
}

TEST(ClaimedShapes, NameTheBiasThatIsMissingOrTooMuch) {
  EXPECT_EQ(why("bias=yes"), "a layer without bias is not claimed");
  Case biased = small_case();
  biased.model = {.features = 2, .layers = {{1, true}}, .parameters = {0, 0, 0}};
  EXPECT_EQ(why("bias=no", biased), "a layer with a bias is not claimed");
  EXPECT_EQ(why("bias=yes", biased), "");
}

TEST(ClaimedShapes, LeaveNoLayerAbsentWhereThatIsNotClaimed) {
  Case absent = small_case();
  absent.steps[0].shards[1].micro_batches[0].absent = {1};
  EXPECT_EQ(why("absent=no", absent), "layers that are absent from a micro-batch are not claimed");
  absent.steps[0].shards[1].micro_batches[0].absent = {0};
  EXPECT_EQ(why("absent=no", absent), "");
}

TEST(ClaimedWorlds, AreAListOfSizesAndRanges) {
  const Claim claim = with_settings({}, "world=8+2..4+6");
  for (int size = 1; size <= kMaxWorldSize; ++size) {
    EXPECT_EQ(claim.takes_world(size), (size >= 2 && size <= 4) || size == 6 || size == 8) << size;
  }
  EXPECT_NE(settings(claim).find("world=2..4+6+8,"), std::string::npos);
  EXPECT_EQ(with_settings({}, settings(claim)), claim);
  EXPECT_EQ(with_settings(claim, "world=1..64"), Claim{});
  EXPECT_EQ(why("world=1+4..5"), "world size 2 is not claimed (1+4..5)");
}

TEST(ShapeSettings, AreReadBack) {
  const Claim claim =
      with_settings({},
                    "result=pieces,rows=0..2,micro-batches=3,features=2..4,outputs=1,layers=2,"
                    "steps=1..2,bias=yes,absent=no");
  EXPECT_EQ(claim.result, Result::pieces);
  EXPECT_EQ(claim.shapes.rows, (SizeRange{0, 2}));
  EXPECT_EQ(claim.shapes.micro_batches, (SizeRange{3, 3}));
  EXPECT_EQ(claim.shapes.biases, Biases::yes);
  EXPECT_FALSE(claim.shapes.absent);
  EXPECT_EQ(with_settings({}, settings(claim)), claim);
  EXPECT_EQ(with_settings(claim, settings({})), Claim{});
}

TEST(ShapeSettings, NameWhatTheyTake) {
  EXPECT_EQ(message_of("rows=2..1"),
            "claim: rows: `2..1` is not allowed; allowed: any, or A..B within 0..1048576");
  EXPECT_EQ(message_of("layers=0"),
            "claim: layers: `0` is not allowed; allowed: any, or A..B within 1..256");
  EXPECT_EQ(message_of("bias=some"), "claim: bias: `some` is not allowed; allowed: any, yes, no");
  EXPECT_EQ(
      message_of("world=2+"),
      "claim: world: `2+` is not allowed; allowed: A..B within 1..64, or several joined by +");
  Claim claim;
  claim.shapes.steps = {2, 1};
  EXPECT_THROW(validate(claim), InputError);
  claim = {.min_world = 2, .max_world = 4};
  claim.left_out_worlds.set(4);
  EXPECT_THROW(validate(claim), InputError);
}

}  // namespace
}  // namespace shardproof
