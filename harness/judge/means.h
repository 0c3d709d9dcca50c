#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "judge/local.h"
#include "shardproof/exact/exact_gradient.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/judge/trial.h"
#include "shardproof/subject/prediction.h"

namespace shardproof {

/// One element of a micro-batch's mean: `sum` times `factor`.
struct ExactMean {
  double handed_in = 0;          ///< of reducers: the contribution, which may be no number
  const Dyadic* rows = nullptr;  ///< of train steps: the exact sum over rows
  Fraction factor;
  double error = 0;  ///< how far what was summed may lie from `rows` as a mean, at most
};

/// The means over the valid rows of every micro-batch of a trial: from the contributions where they
/// were handed in, else exactly from the rows, at the parameters that each rank then had.
class ExactMeans {
 public:
  /// \pre the outcome is Returned; the trial outlives this
  /// \param after_update  of train steps: at the parameters that each step ended with
  explicit ExactMeans(const Trial& trial, bool after_update = false);

  [[nodiscard]] const Trial& trial() const { return trial_; }
  [[nodiscard]] const Returned& returned() const { return returned_; }
  [[nodiscard]] const SharedShape& shape() const { return shape_; }

  /// \return  nothing where there is no row, or nothing is proved about them
  std::optional<ExactMean> mean(int step, std::size_t shard, std::size_t micro_batch,
                                std::size_t element) const;
  /// By how much one sum over all rows of a step may be further off than sums of micro-batches: for
  /// weights that are `ratio` times what is due. Zero for reducers.
  [[nodiscard]] double error_of_one_sum(int step, std::size_t element) const;

 private:
  /// Of one step of a train step.
  struct FromRows {
    std::vector<std::vector<std::vector<Dyadic>>> sums;  // [shard][micro-batch][element]
    LocalBounds bounds;                                  // of means
    LocalBound all_rows;
  };
  const FromRows* from_rows(int step) const;
  std::optional<FromRows> make(int step) const;

  const Trial& trial_;
  const Returned& returned_;
  SharedShape shape_;
  bool after_update_;
  mutable std::map<int, std::optional<FromRows>> from_rows_;  // made when first asked for
};

}  // namespace shardproof
