#include "shardproof/subject/pieces.h"

#include <gtest/gtest.h>

namespace shardproof {
namespace {

/// One step of a kernel of `elements`, every value 7, cut as the ranks say.
Returned returned(int elements, const std::vector<std::optional<Piece>>& said) {
  const Model model{.features = elements, .layers = {{1, false}}, .parameters = {}};
  Returned all;
  std::vector<RankResult>& ranks = all.results.emplace_back();
  for (const std::optional<Piece>& piece : said) {
    RankResult& rank = ranks.emplace_back();
    rank.gradient =
        Tree(tree_shape(model), std::vector<double>(static_cast<std::size_t>(elements), 7.0));
    rank.piece = piece;
  }
  return all;
}

std::string wrong(int elements, const std::vector<std::optional<Piece>>& said) {
  Returned all = returned(elements, said);
  const std::optional<Misbehaved> found = settle_pieces(all);
  return found ? "rank " + std::to_string(found->rank.index) + ": " + found->what : "";
}

std::vector<double> values(const RankResult& rank) {
  const std::span<const double> all = rank.gradient.values();
  return {all.begin(), all.end()};
}

TEST(SettledPieces, AreEvenUnlessARankSaysWhereItsOwnLies) {
  Returned even = returned(5, {std::nullopt, std::nullopt});
  ASSERT_FALSE(settle_pieces(even));
  EXPECT_EQ(even.results[0][0].piece, (Piece{0, 3}));
  EXPECT_EQ(even.results[0][1].piece, (Piece{3, 2}));
  Returned turned = returned(5, {Piece{1, 4}, Piece{0, 1}});
  ASSERT_FALSE(settle_pieces(turned));
  EXPECT_EQ(turned.results[0][0].piece, (Piece{1, 4}));
}

TEST(SettledPieces, KeepNothingOfWhatStandsOutside) {
  Returned all = returned(3, {std::nullopt, std::nullopt});
  ASSERT_FALSE(settle_pieces(all));
  EXPECT_EQ(values(all.results[0][0]), (std::vector<double>{7, 7, 0}));
  EXPECT_EQ(values(all.results[0][1]), (std::vector<double>{0, 0, 7}));
}

TEST(SettledPieces, MayReachIntoThePaddingAndAreCutThere) {
  Returned all = returned(5, {Piece{0, 3}, Piece{3, 3}});
  ASSERT_FALSE(settle_pieces(all));
  EXPECT_EQ(all.results[0][1].piece, (Piece{3, 2}));
  ASSERT_FALSE(settle_pieces(all));  // doing it again changes nothing
  EXPECT_EQ(all.results[0][1].piece, (Piece{3, 2}));
}

TEST(SettledPieces, OfMoreRanksThanElementsMayBeEmpty) {
  EXPECT_EQ(wrong(1, {std::nullopt, std::nullopt, std::nullopt}), "");
  EXPECT_EQ(wrong(1, {Piece{0, 0}, Piece{0, 1}, Piece{1, 0}}), "");
}

TEST(SettledPieces, NameTheElementsOfAGap) {
  EXPECT_EQ(wrong(3, {Piece{0, 1}, Piece{1, 1}}),
            "rank 1: kernel[2,0] (element 2 of 3) is in no rank's piece: each of 2 ranks returned "
            "a piece of 1");
  EXPECT_EQ(wrong(5, {Piece{0, 1}, Piece{3, 2}}),
            "rank 0: kernel[1,0] to kernel[2,0] (elements 1 to 2 of 5) is in no rank's piece: rank "
            "0 returned 1, rank 1 returned 2");
  EXPECT_EQ(wrong(1, {Piece{0, 0}, Piece{0, 0}}),
            "rank 0: kernel[0,0] (element 0 of 1) is in no rank's piece: each of 2 ranks returned "
            "a piece of 0");
}

TEST(SettledPieces, NameTheElementsAndRanksOfAnOverlap) {
  EXPECT_EQ(wrong(4, {Piece{0, 3}, Piece{1, 3}}),
            "rank 1: its piece overlaps that of rank 0: both hold kernel[1,0] to kernel[2,0] "
            "(elements 1 to 2 of 4)");
}

TEST(SettledPieces, EndWithThePaddedTree) {
  EXPECT_EQ(wrong(5, {Piece{0, 3}, Piece{3, 4}}),
            "rank 1: its piece of 4 elements from element 3 on reaches beyond the tree of 5, "
            "padded to 6");
}

}  // namespace
}  // namespace shardproof
