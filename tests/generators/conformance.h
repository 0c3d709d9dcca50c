#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace shardproof {

/// What every generator keeps, whatever it draws: its values are valid and inside what was asked
/// for; so are their simpler values, which are strictly simpler (and so never the value again); and
/// taking simpler values comes to an end.
template <class T>
struct Conformance {
  std::string name;
  rc::Gen<T> generator;
  std::function<std::optional<std::string>(const T&)> objection;  ///< why a value is not allowed
  std::function<bool(const T&, const T&)> is_simpler;
  int draws = 100;
  int simpler_each = 200;    ///< looked at of every drawn value
  int longest_walk = 20000;  ///< steps from a drawn value to one without simpler ones
};

/// Looks at the first simpler values of one value.
template <class T>
void expect_simpler_values_conform(const Conformance<T>& kit, const rc::Shrinkable<T>& drawn) {
  const T value = drawn.value();
  rc::Seq<rc::Shrinkable<T>> simpler_values = drawn.shrinks();
  for (int i = 0; i < kit.simpler_each; ++i) {
    const rc::Maybe<rc::Shrinkable<T>> next = simpler_values.next();
    if (!next) return;
    const T simpler = next->value();
    const std::optional<std::string> objection = kit.objection(simpler);
    ASSERT_FALSE(objection) << kit.name << ": simpler value " << i << ": " << *objection;
    ASSERT_TRUE(kit.is_simpler(simpler, value)) << kit.name << ": simpler value " << i;
    ASSERT_FALSE(kit.is_simpler(value, simpler)) << kit.name << ": simpler value " << i;
  }
}

/// Walks down by one of the first few simpler values each time until there is none.
template <class T>
void expect_walk_ends(const Conformance<T>& kit, rc::Shrinkable<T> at, std::uint64_t seed) {
  rc::Random random(seed);
  for (int step = 0; step < kit.longest_walk; ++step) {
    rc::Seq<rc::Shrinkable<T>> simpler_values = at.shrinks();
    rc::Maybe<rc::Shrinkable<T>> chosen = simpler_values.next();
    if (!chosen) return;
    for (std::uint64_t skip = random.next() % 8; skip > 0; --skip) {
      rc::Maybe<rc::Shrinkable<T>> next = simpler_values.next();
      if (!next) break;
      chosen = std::move(next);
    }
    at = *chosen;
  }
  FAIL() << kit.name << ": still simpler values after " << kit.longest_walk << " steps";
}

template <class T>
void expect_conforms(const Conformance<T>& kit) {
  for (int i = 0; i < kit.draws; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const rc::Shrinkable<T> drawn = kit.generator(rc::Random(seed), i % (rc::kNominalSize + 1));
    const std::optional<std::string> objection = kit.objection(drawn.value());
    ASSERT_FALSE(objection) << kit.name << ": draw " << i << ": " << *objection;
    expect_simpler_values_conform(kit, drawn);
    if (testing::Test::HasFatalFailure()) return;
    expect_walk_ends(kit, drawn, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace shardproof
