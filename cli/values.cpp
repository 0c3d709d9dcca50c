#include "values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "shardproof/case/error.h"

namespace shardproof::cli {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view what) {
  throw InputError("", std::string(option) + ' ' + std::string(what));
}

template <class Number>
Number number(std::string_view option, std::string_view text, std::string_view wanted) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    refuse(option, "must be " + std::string(wanted) + ", not `" + std::string(text) + '`');
  }
  return value;
}

void for_each_name(std::string_view list, const std::function<void(std::string_view)>& visit) {
  while (true) {
    const std::size_t comma = list.find(',');
    visit(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

int whole_number(std::string_view option, std::string_view text, int least, int most) {
  const int value = number<int>(option, text, "a whole number below 2^31");
  if (value < least) refuse(option, "must be at least " + std::to_string(least));
  if (value > most) refuse(option, "must be at most " + std::to_string(most));
  return value;
}

std::int64_t large_number(std::string_view option, std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  const auto value = number<std::int64_t>(option, text, "a whole number from 1 to 10^15");
  if (value < 1 || value > kMost) refuse(option, "must be a whole number from 1 to 10^15");
  return value;
}

std::uint64_t seed(std::string_view option, std::string_view text) {
  return number<std::uint64_t>(option, text, "a whole number from 0 to 2^64 - 1");
}

std::chrono::nanoseconds seconds(std::string_view option, std::string_view text) {
  constexpr double kLongest = 1e9;  // some thirty years; longer would not fit nanoseconds
  const auto value = number<double>(option, text, "a number of seconds");
  if (!(value > 0 && value <= kLongest)) refuse(option, "must lie above 0 and at most at 1e9");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(value));
}

ConditionSet condition_set(std::string_view option, std::string_view text) {
  ConditionSet set;
  for_each_name(text, [&](std::string_view each) {
    const auto condition = parse_condition(each);
    if (!condition) {
      refuse(option,
             "knows no `" + std::string(each) + "`; known: " + describe(ConditionSet::all()));
    }
    set.insert(*condition);
  });
  return set;
}

std::vector<Dtype> dtypes(std::string_view option, std::string_view text) {
  std::vector<Dtype> list;
  for_each_name(text, [&](std::string_view each) {
    const auto dtype = parse_dtype(each);
    if (!dtype) {
      std::string known;
      for (const Dtype one : all_dtypes()) {
        known += (known.empty() ? "" : ", ") + std::string(name(one));
      }
      refuse(option, "knows no `" + std::string(each) + "`; known: " + known);
    }
    if (std::ranges::find(list, *dtype) == list.end()) list.push_back(*dtype);
  });
  return list;
}

Dtype dtype(std::string_view option, std::string_view text) {
  const std::vector<Dtype> list = dtypes(option, text);
  if (list.size() != 1) refuse(option, "takes one dtype");
  return list.front();
}

std::vector<double> numbers(std::string_view option, std::string_view text) {
  std::vector<double> list;
  for_each_name(text, [&](std::string_view each) {
    list.push_back(number<double>(option, each, "finite numbers separated by commas"));
    if (!std::isfinite(list.back())) refuse(option, "must be finite numbers separated by commas");
  });
  return list;
}

std::vector<int> counts(std::string_view option, std::string_view text) {
  constexpr int kMost = 1'000'000;
  std::vector<int> list;
  for_each_name(text, [&](std::string_view each) {
    const int count = number<int>(option, each, "whole numbers separated by commas");
    if (count < 0 || count > kMost) refuse(option, "must lie in 0 to 1000000");
    list.push_back(count);
  });
  return list;
}

bool second_of(std::string_view option, std::string_view text, std::string_view first,
               std::string_view second) {
  if (text != first && text != second) {
    refuse(option, "must be " + std::string(first) + " or " + std::string(second) + ", not `" +
                       std::string(text) + '`');
  }
  return text == second;
}

WorldRange world_range(std::string_view option, std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto size = [&](std::string_view part) {
    const int value = number<int>(option, part, "a world size `N` or a range `A..B`");
    if (value < 1 || value > kMaxWorldSize) {
      refuse(option, "must lie in 1 to " + std::to_string(kMaxWorldSize) + ", not at " +
                         std::to_string(value));
    }
    return value;
  };
  if (dots == std::string_view::npos) {
    const int value = size(text);
    return {value, value};
  }
  const WorldRange range{size(text.substr(0, dots)), size(text.substr(dots + 2))};
  if (range.least > range.most) {
    refuse(option, std::string(text) + " is empty: the first size must not exceed the second");
  }
  return range;
}

}  // namespace shardproof::cli
