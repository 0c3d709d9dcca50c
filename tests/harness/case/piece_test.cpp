#include "shardproof/case/piece.h"

#include <gtest/gtest.h>

namespace shardproof {
namespace {

TEST(EvenPiece, CutsThePaddedTreeAndDropsThePadding) {
  // 7 elements on 3 ranks are thought padded to 9.
  EXPECT_EQ(even_piece(7, {3}, {0}), (Piece{0, 3}));
  EXPECT_EQ(even_piece(7, {3}, {1}), (Piece{3, 3}));
  EXPECT_EQ(even_piece(7, {3}, {2}), (Piece{6, 1}));
}

TEST(EvenPiece, OfAllRanksTogetherHoldEveryElementOnce) {
  for (std::size_t elements = 1; elements <= 40; ++elements) {
    for (int world = 1; world <= 20; ++world) {
      std::size_t next = 0;
      for (int r = 0; r < world; ++r) {
        const Piece piece = even_piece(elements, {world}, {r});
        ASSERT_EQ(piece.offset, next) << elements << " on " << world;
        next = piece.end();
      }
      ASSERT_EQ(next, elements) << world;
    }
  }
}

}  // namespace
}  // namespace shardproof
