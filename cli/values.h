#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/generators/cases.h"

namespace shardproof::cli {

/// Values of options, from their text. Each throws an InputError that begins with the option's name
/// and says what is allowed.

int whole_number(std::string_view option, std::string_view text, int least,
                 int most = std::numeric_limits<int>::max());
/// A positive whole number up to 10^15.
std::int64_t large_number(std::string_view option, std::string_view text);
std::uint64_t seed(std::string_view option, std::string_view text);
/// A positive number of seconds.
std::chrono::nanoseconds seconds(std::string_view option, std::string_view text);
/// `equal,padded`
ConditionSet condition_set(std::string_view option, std::string_view text);
/// `f32,f64`
std::vector<Dtype> dtypes(std::string_view option, std::string_view text);

Dtype dtype(std::string_view option, std::string_view text);
/// `1,0.5,-3e-8`: finite numbers
std::vector<double> numbers(std::string_view option, std::string_view text);
/// `3,0,7`: each at most a million
std::vector<int> counts(std::string_view option, std::string_view text);
/// One of two words: whether it is the second.
bool second_of(std::string_view option, std::string_view text, std::string_view first,
               std::string_view second);

struct WorldRange {
  int least = 1;
  int most = 1;
};
/// `2..16`, or `4` for that size alone
WorldRange world_range(std::string_view option, std::string_view text);

}  // namespace shardproof::cli
