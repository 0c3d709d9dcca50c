#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "shardproof/case/case.h"

namespace shardproof {

/// How the valid rows of a step lie on its shards.
///
/// - equal:   every micro-batch of every shard has the same number of rows, none of them padding
/// - unequal: two micro-batches of shards that have a valid row differ in their number of rows
/// - padded:  some row is masked out
/// - empty:   at least one shard has no valid row; it contributes zeros and count 0
enum class Condition { equal, unequal, padded, empty };

inline constexpr std::array kAllConditions{Condition::equal, Condition::unequal, Condition::padded,
                                           Condition::empty};

/// A set of conditions.
class ConditionSet {
 public:
  constexpr ConditionSet() = default;
  constexpr ConditionSet(std::initializer_list<Condition> conditions) {
    for (Condition condition : conditions) insert(condition);
  }
  static constexpr ConditionSet all() {
    return {Condition::equal, Condition::unequal, Condition::padded, Condition::empty};
  }
  constexpr void insert(Condition condition) { bits_ |= bit(condition); }
  [[nodiscard]] constexpr bool contains(Condition condition) const {
    return (bits_ & bit(condition)) != 0;
  }
  [[nodiscard]] constexpr bool contains_all(ConditionSet other) const {
    return (other.bits_ & ~bits_) == 0;
  }
  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  constexpr ConditionSet& operator|=(ConditionSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend bool operator==(const ConditionSet&, const ConditionSet&) = default;

 private:
  static constexpr unsigned bit(Condition condition) {
    return 1U << static_cast<unsigned>(condition);
  }
  unsigned bits_ = 0;
};

/// The conditions that hold of a step; of a case: of any of its steps. `equal` stands alone.
ConditionSet conditions(const Step& step);
ConditionSet conditions(const Case& problem);

std::string_view name(Condition condition);
std::optional<Condition> parse_condition(std::string_view text);

/// `equal, unequal` in the fixed order.
std::string describe(ConditionSet conditions);

}  // namespace shardproof
