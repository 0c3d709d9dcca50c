#include "shardproof/case/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardproof {
namespace {

TEST(Format, HoldsTheConstantsOfBinary32AndBinary64) {
  EXPECT_EQ(format(Dtype::f32).precision, 24);
  EXPECT_EQ(format(Dtype::f32).min_exponent, -126);
  EXPECT_EQ(format(Dtype::f32).unit_roundoff, std::ldexp(1.0, -24));
  EXPECT_EQ(format(Dtype::f32).smallest_normal, std::ldexp(1.0, -126));
  EXPECT_EQ(format(Dtype::f32).smallest_subnormal, std::ldexp(1.0, -149));
  EXPECT_EQ(format(Dtype::f32).largest, std::ldexp(2.0 - std::ldexp(1.0, -23), 127));
  EXPECT_EQ(format(Dtype::f64).precision, 53);
  EXPECT_EQ(format(Dtype::f64).min_exponent, -1022);
  EXPECT_EQ(format(Dtype::f64).unit_roundoff, std::ldexp(1.0, -53));
  EXPECT_EQ(format(Dtype::f64).smallest_subnormal, std::ldexp(1.0, -1074));
}

TEST(NextUp, IsTheLeastValueAbove) {
  EXPECT_EQ(next_up(Dtype::f32, 1), 1 + std::ldexp(1.0, -23));
  EXPECT_EQ(next_down(Dtype::f32, 1), 1 - std::ldexp(1.0, -24));
  EXPECT_EQ(next_up(Dtype::f64, 1), 1 + std::ldexp(1.0, -52));
  EXPECT_EQ(next_up(Dtype::f32, 0), std::ldexp(1.0, -149));
  EXPECT_EQ(next_down(Dtype::f32, 0), -std::ldexp(1.0, -149));
  // 0.1 is no binary32 value: its neighbours lie on either side of it.
  EXPECT_GT(next_up(Dtype::f32, 0.1), 0.1);
  EXPECT_LT(next_down(Dtype::f32, 0.1), 0.1);
  EXPECT_EQ(next_up(Dtype::f32, next_down(Dtype::f32, 0.1)), next_up(Dtype::f32, 0.1));
  EXPECT_EQ(next_up(Dtype::f32, format(Dtype::f32).largest),
            std::numeric_limits<double>::infinity());
}

TEST(DtypeNames, ReadBack) {
  for (Dtype dtype : all_dtypes()) EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  EXPECT_FALSE(parse_dtype("F32"));
  EXPECT_FALSE(parse_dtype(""));
}

}  // namespace
}  // namespace shardproof
