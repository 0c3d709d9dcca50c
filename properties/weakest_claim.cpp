#include "shardproof/properties/weakest_claim.h"

#include <algorithm>
#include <utility>

#include "shardproof/case/claim_setting.h"
#include "shardproof/case/error.h"
#include "shardproof/properties/registry.h"

namespace shardproof {
namespace {

/// One value of a field, weaker than those before it.
struct Rung {
  std::string setting;  ///< `KEY=VALUE`
  std::string words;
};

/// A field from its strongest value to its weakest.
struct Ladder {
  std::vector<Rung> rungs;
};

Ladder accumulate_ladder() {
  // A bound for a narrower format holds for a wider one as well.
  Ladder ladder{{{"accumulate=case", "accumulation in the dtype of the case"}}};
  std::vector<Dtype> narrower(all_dtypes().begin(), all_dtypes().end());
  std::ranges::sort(
      narrower, [](Dtype a, Dtype b) { return format(a).unit_roundoff < format(b).unit_roundoff; });
  for (std::size_t i = 1; i < narrower.size(); ++i) {
    const std::string dtype(name(narrower[i]));
    ladder.rungs.push_back({"accumulate=" + dtype, "accumulation in " + dtype});
  }
  return ladder;
}

Ladder roundings_ladder() {
  Ladder ladder;
  for (int m = 0; m <= 4; ++m) {
    const std::string number = std::to_string(m);
    const char* const unit = m == 1 ? " rounding" : " roundings";
    ladder.rungs.push_back({"roundings=" + number, number + unit + " of each term"});
  }
  ladder.rungs.push_back({"roundings=any", "any placement of the division"});
  return ladder;
}

Ladder world_ladder(const Claim& own) {
  const auto rung = [](int least, int most, std::string words) {
    return Rung{"world=" + std::to_string(least) + ".." + std::to_string(most), std::move(words)};
  };
  Ladder ladder{{rung(1, kMaxWorldSize, "")}};
  const bool fewer = own.max_world < kMaxWorldSize || own.left_out_worlds.any();
  if (own.min_world > 1 || (fewer && own.max_world > 1)) {
    ladder.rungs.push_back({"world=" + setting(own, "world"), "the world sizes of its own claim"});
  }
  if (own.min_world == 1) ladder.rungs.push_back(rung(1, 1, "one rank only"));
  return ladder;
}

constexpr const char* kLastBeforeConditions = "levels=1";

/// In the order in which they are made stronger: first what would hide wrong results, which is few
/// worlds and coarse arithmetic, then what is admitted, how it behaves, and its few roundings last.
std::vector<Ladder> ladders_of(const Subject& subject) {
  std::vector<Ladder> ladders{world_ladder(subject.claim()), accumulate_ladder()};
  const auto add = [&](std::vector<Rung> rungs) { ladders.push_back({std::move(rungs)}); };
  add({{"rounding=nearest", ""}, {"rounding=faithful", "faithful rounding"}});
  add({{"flush=no", ""}, {"flush=either", "flush either"}});
  add({{kLastBeforeConditions, ""}, {"levels=2", "two levels of averaging"}});
  add({{"padding=any", ""}, {"padding=finite", "finite padding"}});
  add({{"all-empty=error-or-zeros", ""}, {"all-empty=nan-allowed", "NaN where no row is valid"}});
  add({{"order-fixed=yes", ""}, {"order-fixed=no", "no fixed order"}});
  add({{"equal-bits=yes", ""}, {"equal-bits=no", "other bits on other ranks"}});
  add({{"inputs-overwritten=no", ""}, {"inputs-overwritten=yes", "inputs overwritten"}});
  if (subject.kind() == SubjectKind::train_step) {
    add({{"update=from-returned", ""}, {"update=any", "any update within its bound"}});
  }
  add({{"summation=tree", ""}, {"summation=any", "any order of summation"}});
  ladders.push_back(roundings_ladder());
  return ladders;
}

/// Which conditions are left out; the others than `equal`, each by itself.
struct Left {
  Condition condition;
  const char* words;
};
constexpr std::array kConditions{Left{Condition::unequal, "no unequal counts"},
                                 Left{Condition::padded, "no padding"},
                                 Left{Condition::empty, "no empty rank"}};

/// A claim on its way: a rung of each ladder, and the conditions.
struct Position {
  Target target = Target::weighted_mean;
  std::vector<std::size_t> rung;
  ConditionSet conditions;
};

class Search {
 public:
  Search(std::unique_ptr<Subject> subject, const WeakestClaimOptions& options)
      : subject_(std::move(subject)),
        options_(options),
        own_(subject_->claim()),
        ladders_(ladders_of(*subject_)) {}

  WeakestClaims result() {
    WeakestClaims result;
    for (const Target target : {Target::weighted_mean, Target::mean_over_ranks, Target::sum}) {
      Position position = weakest(target);
      if (!is_claim(position)) continue;
      if (std::optional<std::string> refuted = refutation(position, 0)) {
        if (result.refutation.empty()) result.refutation = *sentence(position);
        continue;
      }
      while (strengthen(position)) {
      }
      // Where both targets are the same, the usual one says it.
      if (!result.claims.empty() && weighted_mean_fits(position)) continue;
      result.claims.push_back(described(position));
    }
    std::ranges::stable_sort(result.claims, {}, [](const WeakestClaim& found) {
      return std::pair(found.claim.max_world == 1, found.weakenings.size());
    });
    if (!result.claims.empty()) result.refutation.clear();
    result.executions = executions_;
    return result;
  }

 private:
  [[nodiscard]] Position weakest(Target target) const {
    Position position{.target = target, .rung = {}, .conditions = {Condition::equal}};
    for (const Ladder& ladder : ladders_) position.rung.push_back(ladder.rungs.size() - 1);
    return position;
  }

  [[nodiscard]] Claim claim_at(const Position& position) const {
    Claim claim;
    claim.input = own_.input;
    claim.only_dtype = own_.only_dtype;
    claim.target = position.target;
    claim.conditions = position.conditions;
    for (std::size_t i = 0; i < ladders_.size(); ++i) {
      claim = with_settings(std::move(claim), ladders_[i].rungs[position.rung[i]].setting);
    }
    return claim;
  }

  [[nodiscard]] bool is_claim(const Position& position) const {
    try {
      (void)claim_at(position);
      return true;
    } catch (const InputError&) {
      return false;
    }
  }

  /// Why the subject is refuted under this claim, or nothing.
  std::optional<std::string> refutation(const Position& position, int shrink_budget) {
    subject_ = with_claim(std::move(subject_), claim_at(position));
    const Claim claim = subject_->claim();
    DrawOptions draw = options_.draw;
    if (claim.min_world > draw.max_world) draw.max_world = claim.max_world;
    RunOptions run;
    run.cases = options_.cases;
    run.limits = options_.limits;
    run.shrink_budget = shrink_budget;
    run.draw = [&](int index) {
      return draw_case(options_.seed, index, claim, subject_->kind(), draw);
    };
    const RunResult found = shardproof::run(*subject_, all_properties(), run);
    executions_ += found.executions;
    if (!subject_->usable()) {
      throw InputError("", "the subject did not come back, so that nothing more can be tried");
    }
    if (!found.finding) return std::nullopt;
    executions_ += found.finding->executions_to_shrink;
    return found.finding->property + ": " + found.finding->minimal.failure.sentence;
  }

  std::optional<std::string> sentence(const Position& position) {
    constexpr int kBudget = 400;  // executions; a small case says more
    return refutation(position, kBudget);
  }

  /// Makes each field as strong as the others leave it. \return whether any changed
  bool strengthen(Position& position) {
    bool changed = false;
    for (std::size_t i = 0; i < ladders_.size(); ++i) {
      for (std::size_t rung = 0; rung < position.rung[i]; ++rung) {
        Position stronger = position;
        stronger.rung[i] = rung;
        if (!is_claim(stronger) || refutation(stronger, 0)) continue;
        position = stronger;
        changed = true;
        break;
      }
      if (ladders_[i].rungs.front().setting == kLastBeforeConditions) {
        changed |= admit_more(position);
      }
    }
    return changed;
  }

  bool admit_more(Position& position) {
    bool changed = false;
    for (const Left& left : kConditions) {
      if (position.conditions.contains(left.condition)) continue;
      Position stronger = position;
      stronger.conditions.insert(left.condition);
      if (refutation(stronger, 0)) continue;
      position = stronger;
      changed = true;
    }
    return changed;
  }

  WeakestClaim described(const Position& position) {
    WeakestClaim found{claim_at(position), {}};
    if (position.target != Target::weighted_mean) {
      const bool sum = position.target == Target::sum;
      found.weakenings.push_back(
          {.words = sum ? "target: the sum of what is handed in" : "target: the mean over ranks",
           .setting = sum ? "target=sum" : "target=mean-over-ranks",
           .refutation = sentence(with_weighted_mean(position)).value_or("")});
    }
    describe_conditions(position, found);
    for (std::size_t i = 0; i < ladders_.size(); ++i) {
      const std::size_t rung = position.rung[i];
      if (rung == 0) continue;
      Position stronger = position;
      --stronger.rung[i];
      const Rung& kept = ladders_[i].rungs[rung];
      found.weakenings.push_back({kept.words, kept.setting, sentence(stronger).value_or("")});
    }
    return found;
  }

  static Position with_weighted_mean(Position position) {
    position.target = Target::weighted_mean;
    return position;
  }
  bool weighted_mean_fits(const Position& position) {
    return position.target != Target::weighted_mean && !refutation(with_weighted_mean(position), 0);
  }

  void describe_conditions(const Position& position, WeakestClaim& found) {
    std::vector<Left> out;
    for (const Left& left : kConditions) {
      if (!position.conditions.contains(left.condition)) out.push_back(left);
    }
    const std::string setting = settings_of_conditions(position.conditions);
    const bool equal_only = out.size() == kConditions.size();
    for (const Left& left : out) {
      Position stronger = position;
      stronger.conditions.insert(left.condition);
      found.weakenings.push_back(
          {equal_only ? "equal shards" : left.words, setting, sentence(stronger).value_or("")});
      if (equal_only) break;
    }
  }

  static std::string settings_of_conditions(ConditionSet conditions) {
    std::string setting;
    for (const Condition each : kAllConditions) {
      if (!conditions.contains(each)) continue;
      setting.append(setting.empty() ? "conditions=" : "+").append(name(each));
    }
    return setting;
  }

  std::unique_ptr<Subject> subject_;
  const WeakestClaimOptions& options_;
  Claim own_;
  std::vector<Ladder> ladders_;
  int executions_ = 0;
};

}  // namespace

WeakestClaims weakest_claims(std::unique_ptr<Subject> subject, const WeakestClaimOptions& options) {
  return Search(std::move(subject), options).result();
}

}  // namespace shardproof
