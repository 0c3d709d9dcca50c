#include "shardproof/subject/all_at_once.h"

#include <exception>
#include <utility>

#include "shardproof/subject/local_gradient.h"
#include "subject/rank_misbehaved.h"
#include "subject/subject_inputs.h"
#include "subject/subject_under_claim.h"

namespace shardproof {
namespace {

using Contributions = std::vector<std::vector<Contribution>>;  // [shard][micro-batch]

class AllAtOnce final : public SubjectUnderClaim {
 public:
  AllAtOnce(std::string name, Claim claim, ReduceAll reduce)
      : SubjectUnderClaim(std::move(name), std::move(claim)), reduce_(std::move(reduce)) {}

  [[nodiscard]] SubjectKind kind() const override { return SubjectKind::reducer; }

  Outcome run(const SharedCase& problem, const Limits& /*limits*/) override {
    const SharedShape shape = tree_shape(problem->model);
    Returned returned;
    for (int step = 0; step < static_cast<int>(problem->steps.size()); ++step) {
      Contributions handed_in = contributions(*problem, shape, step);
      Contributions own = handed_in;
      RankResult result;
      if (std::optional<Outcome> failure = reduce(*problem, *shape, step, own, result)) {
        return *std::move(failure);
      }
      if (!returned.input_change) returned.input_change = change(handed_in, own);
      returned.results.emplace_back(own.size(), result);
      returned.contributions.push_back(std::move(handed_in));
    }
    return returned;
  }

 private:
  [[nodiscard]] Contributions contributions(const Case& problem, const SharedShape& shape,
                                            int step) const {
    Contributions all;
    const Step& rows = problem.steps[static_cast<std::size_t>(step)];
    for (int shard = 0; shard < problem.world_size().value; ++shard) {
      std::vector<Contribution>& mine = all.emplace_back();
      for (int b = 0; b < rows.micro_batches(); ++b) {
        mine.push_back(
            local_contribution(problem, shape, step, shard, b, claim().input, claim().gradient));
      }
    }
    return all;
  }

  /// \return what happened instead of a result
  [[nodiscard]] std::optional<Outcome> reduce(const Case& problem, const TreeShape& shape, int step,
                                              Contributions& own, RankResult& result) const {
    try {
      Reduced reduced = reduce_(own, role_dtypes(claim(), problem.dtype).gradient);
      if (!fits(reduced.gradient, shape)) {
        return Misbehaved{Rank{0}, step, misfit("a tree", reduced.gradient, shape)};
      }
      result = {.gradient = std::move(reduced.gradient),
                .loss = reduced.loss,
                .count = reduced.count,
                .norm = reduced.norm,
                .parameters = {}};
      return std::nullopt;
    } catch (const RankMisbehaved& what) {
      return Misbehaved{Rank{0}, step, what.what()};
    } catch (const Decline& decline) {
      return Declined{Rank{0}, step, decline.what()};
    } catch (const std::exception& error) {
      return Threw{Rank{0}, step, error.what()};
    } catch (...) {
      return Threw{Rank{0}, step, "unknown exception"};
    }
  }

  static std::optional<InputChange> change(const Contributions& handed_in,
                                           const Contributions& left) {
    for (std::size_t r = 0; r < handed_in.size(); ++r) {
      const Rank rank{static_cast<int>(r)};
      if (left[r].size() != handed_in[r].size()) {
        return InputChange{.rank = rank,
                           .step = handed_in[r].front().step,
                           .what = "the number of micro-batches",
                           .before = static_cast<double>(handed_in[r].size()),
                           .after = static_cast<double>(left[r].size())};
      }
      for (std::size_t b = 0; b < handed_in[r].size(); ++b) {
        if (auto found = first_change(handed_in[r][b], left[r][b], rank)) return found;
      }
    }
    return std::nullopt;
  }

  ReduceAll reduce_;
};

}  // namespace

std::unique_ptr<Subject> all_at_once(std::string name, Claim claim, ReduceAll reduce) {
  return std::make_unique<AllAtOnce>(std::move(name), std::move(claim), std::move(reduce));
}

}  // namespace shardproof
