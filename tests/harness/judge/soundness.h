#pragma once

#include <string>

#include "harness/judge/random_reducer.h"
#include "harness/subject/hand_case.h"
#include "judge/alone.h"
#include "judge/references.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/judge/arithmetic.h"

namespace shardproof {

/// Contributions without rows behind them, so that they may be as nasty as they like.
struct HandedInTrial {
  SharedCase problem;  ///< rows are zeros, their counts matter
  std::vector<std::vector<Contribution>> contributions;
};

enum class Nasty { normal, positive, wide, cancelling, subnormal, near_overflow, integers };
inline constexpr int kNastyFamilies = 7;

class NastyTrials {
 public:
  explicit NastyTrials(std::uint64_t seed) : random_(seed) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  HandedInTrial draw(Dtype dtype) {
    const auto family = static_cast<Nasty>(below(kNastyFamilies));
    const int ranks = 1 + below(below(8) == 0 ? 40 : 6);
    const int micro_batches = below(2) == 0 ? 1 : 2 + below(5);
    HandedInStep step(static_cast<std::size_t>(ranks));
    for (auto& rank : step) {
      for (int m = 0; m < micro_batches; ++m) {
        const int valid = below(5) == 0 ? 0 : below(4) == 0 ? 300 + below(700) : 1 + below(7);
        rank.push_back({.valid = valid, .gradient = {0, 0}, .loss = 0});
      }
    }
    if (step[0][0].valid == 0) step[0][0].valid = 1;
    fill(step, family, dtype);
    HandedInTrial trial{one_leaf({step}, dtype), {}};
    const SharedShape shape = tree_shape(trial.problem->model);
    for (const auto& rank : step) {
      auto& mine = trial.contributions.emplace_back();
      for (const HandedIn& hand : rank) {
        Contribution& c = mine.emplace_back();
        c.gradient = Tree(shape, hand.gradient);
        c.loss = hand.loss;
        c.valid = ValidCount{hand.valid};
      }
    }
    return trial;
  }

 private:
  void fill(HandedInStep& step, Nasty family, Dtype dtype) {
    double partner[3] = {0, 0, 0};
    for (auto& rank : step) {
      for (HandedIn& hand : rank) {
        if (hand.valid == 0) continue;
        double drawn[3];
        for (int i = 0; i < 3; ++i) {
          drawn[i] = value(family, dtype);
          if (family == Nasty::cancelling && below(2) == 0) {
            drawn[i] = round_to(dtype, -partner[i] / hand.valid);
          }
          partner[i] = drawn[i] * hand.valid;
        }
        hand.gradient = {drawn[0], drawn[1]};
        hand.loss = drawn[2];
      }
    }
  }

  double value(Nasty family, Dtype dtype) {
    const Format& f = format(dtype);
    const double normal = normal_(random_);
    switch (family) {
      case Nasty::integers:
        return below(17) - 8;
      case Nasty::positive:
        return round_to(dtype, 1 + std::abs(normal));
      case Nasty::wide:
        return round_to(dtype, std::ldexp(normal, below(200) - 100));
      case Nasty::subnormal:
        return round_to(dtype, normal * f.smallest_normal * std::ldexp(1.0, -below(f.precision)));
      case Nasty::near_overflow:
        return round_to(dtype, f.largest * std::ldexp(normal / 8, -below(24)));
      default:
        return round_to(dtype, normal);
    }
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

/// What a series of right reducers showed.
struct Soundness {
  int judged = 0;
  int undecided = 0;
  int refuted = 0;
  int outward_accepted = 0;  ///< one gap beyond the limit, and not refuted
  double tightest = 0;       ///< largest error as a share of what was allowed
  std::string first;         ///< refutation
};

/// |value - E| / (B + h)
inline double share_of_bound(double value, const ElementReference& reference,
                             const Arithmetic& arithmetic, Dtype dtype) {
  ExactSum sum;
  sum.add(value, reference.divisor);
  sum.add(reference.numerator, 1, true);
  const double allowed = reference.bound + last_rounding(arithmetic, dtype, value, sum.sign() < 0);
  return sum.total().magnitude_up() / static_cast<double>(reference.divisor) / allowed;
}

inline void judge_one(Soundness& soundness, double value, const ElementReference& reference,
                      const Arithmetic& arithmetic, Dtype dtype, const std::string& what) {
  const ElementJudge judge(reference, arithmetic, dtype);
  switch (judge.rule(value)) {
    case ElementJudge::Ruling::undecided:
      ++soundness.undecided;
      return;
    case ElementJudge::Ruling::refuted:
      if (soundness.refuted++ == 0) soundness.first = what;
      return;
    case ElementJudge::Ruling::accepted:
      ++soundness.judged;
  }
  if (!std::isfinite(value) || std::isinf(reference.bound)) return;
  soundness.tightest =
      std::max(soundness.tightest, share_of_bound(value, reference, arithmetic, dtype));
  for (double far : {format(dtype).largest, -format(dtype).largest}) {
    if (judge.rule(far) != ElementJudge::Ruling::refuted) continue;
    const double limit = judge.limit_towards(far);
    const double beyond = far > 0 ? next_up(dtype, limit) : next_down(dtype, limit);
    if (judge.rule(beyond) != ElementJudge::Ruling::refuted) ++soundness.outward_accepted;
  }
}

inline Dtype any_dtype(NastyTrials& draws) {
  return all_dtypes()[static_cast<std::size_t>(draws.below(static_cast<int>(all_dtypes().size())))];
}

/// Rounds what ranks hand in to the wire's dtype.
inline void convert(std::vector<std::vector<Contribution>>& contributions, Dtype wire) {
  for (auto& rank : contributions) {
    for (Contribution& c : rank) {
      for (double& value : c.gradient.values()) value = round_to(wire, value);
      c.loss = round_to(wire, c.loss);
    }
  }
}

/// Right reducers over nasty contributions, under the default claim but for dtypes by role.
inline Soundness soundness_alone(std::uint64_t seed, int trials) {
  Soundness soundness;
  NastyTrials draws(seed);
  for (int i = 0; i < trials; ++i) {
    const Dtype dtype = any_dtype(draws);
    const HandedInTrial handed = draws.draw(dtype);
    auto claim = std::make_shared<Claim>();
    claim->accumulates_in_16_bits = true;
    if (draws.below(4) == 0) claim->accumulate = any_dtype(draws);
    if (draws.below(4) == 0) claim->wire = any_dtype(draws);
    if (draws.below(4) == 0) claim->output = any_dtype(draws);
    const Dtype output = claim->output.value_or(dtype);
    const Trial trial(handed.problem, claim, SubjectKind::reducer, Returned{});
    const Step& step = handed.problem->steps[0];
    const Weights weights = *contribution_weights(*claim, step);
    const Arithmetic arithmetic = arithmetic_of(*claim, *handed.problem, step);
    const StepOfTrial at{trial, 0, weights, weights, arithmetic, {}};
    const std::vector<ElementReference> references =
        references_from_contributions(at, handed.contributions);
    for (int reducer = 0; reducer < 6; ++reducer) {
      RandomReducer reduce(seed * 1000003 + static_cast<std::uint64_t>(i * 6 + reducer),
                           claim->accumulate.value_or(dtype));
      auto contributions = handed.contributions;
      if (claim->wire) convert(contributions, *claim->wire);
      const auto received = [&](double value) {
        return claim->wire ? round_to(output, round_to(*claim->wire, value)) : value;
      };
      const Reduced reduced = reduce(contributions, claim->wire ? Dtype::f64 : output);
      const std::string what = "trial " + std::to_string(i) + ": " + reduce.choices();
      for (std::size_t e = 0; e < 2; ++e) {
        judge_one(soundness, received(reduced.gradient.values()[e]), references[e], arithmetic,
                  output, what);
      }
      judge_one(soundness, received(*reduced.loss), references[2], arithmetic, output, what);
    }
  }
  return soundness;
}

}  // namespace shardproof
