#pragma once

#include <map>
#include <optional>
#include <vector>

#include "judge/element.h"
#include "judge/local.h"
#include "judge/means.h"
#include "judge/update.h"
#include "shardproof/judge/trial.h"
#include "shardproof/subject/prediction.h"

namespace shardproof {

/// A prediction worked out: what a value must be compared with.
struct PredictedElement {
  ElementReference reference;
  std::optional<double> exactly = std::nullopt;  ///< instead of the reference
};

/// Works out the predictions of one trial: exact sums of exact means, and how far a mistaken
/// reducer may lie from them. It need not round as its claim says: any order and placement is
/// allowed, and some roundings more.
class Predictor {
 public:
  /// \pre the outcome is Returned; the trial outlives the predictor
  explicit Predictor(const Trial& trial, bool after_update = false);

  [[nodiscard]] const Trial& trial() const { return means_.trial(); }
  [[nodiscard]] const ExactMeans& means() const { return means_; }
  /// A result of this trial, as a fault is asked about it.
  [[nodiscard]] ResultSite site(int step, std::size_t rank, std::size_t element) const;

  /// \param step  of the result: its arithmetic is the one that rounds
  /// \return      nothing where a term is not finite or its step is not judged
  std::optional<PredictedElement> worked_out(const Prediction& prediction, int step) const;

  /// Whether a mistaken reducer may return `value` in `step`.
  [[nodiscard]] bool accepts(const PredictedElement& predicted, int step, double value) const;
  /// Whether an update by what is predicted, in several roundings, may move a parameter so.
  [[nodiscard]] bool accepts_update(const PredictedElement& predicted, int step,
                                    const Moved& moved) const;

 private:
  [[nodiscard]] Arithmetic loose_arithmetic(int step) const;

  ExactMeans means_;
  std::vector<Arithmetic> arithmetic_;  // by step
};

}  // namespace shardproof
