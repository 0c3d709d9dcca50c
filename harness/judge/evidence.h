#pragma once

#include <memory>
#include <span>
#include <vector>

#include "judge/predicted.h"
#include "shardproof/judge/trial.h"

namespace shardproof {

/// A returned element (or loss, behind the tree), or an updated parameter, that can be judged.
struct JudgedValue {
  std::size_t trial = 0;
  int step = 0;
  std::size_t rank = 0;
  std::size_t element = 0;
  double returned = 0;
  bool wrong = false;                           ///< the reference refutes it
  std::optional<double> before = std::nullopt;  ///< of parameters: what they were moved from
};

/// What is judged: gradients and losses, or the parameters of train steps after the update.
enum class Judged { results, updates };

/// All judged values of some trials.
class Evidence {
 public:
  /// \param trials  outlive this; those without results are passed over
  explicit Evidence(std::span<const Trial> trials, Judged judged = Judged::results);

  [[nodiscard]] Judged judged() const { return judged_; }
  /// By trial, step, element, rank.
  [[nodiscard]] std::span<const JudgedValue> values() const { return values_; }
  /// \pre `value` is one of these
  [[nodiscard]] const Predictor& predictor(const JudgedValue& value) const {
    return *predictors_[value.trial];
  }
  /// The same at the parameters after each update.
  [[nodiscard]] const Predictor& predictor_after_update(const JudgedValue& value) const {
    return *after_update_[value.trial];
  }
  /// Of a trial; null where it has no results.
  [[nodiscard]] const Predictor* predictor(std::size_t trial) const {
    return predictors_[trial].get();
  }
  [[nodiscard]] std::size_t trials() const { return predictors_.size(); }
  [[nodiscard]] ResultSite site(const JudgedValue& value) const {
    return predictor(value).site(value.step, value.rank, value.element);
  }
  [[nodiscard]] bool is_loss(const JudgedValue& value) const {
    return value.element == predictor(value).means().shape()->size;
  }

 private:
  Judged judged_;
  std::vector<std::unique_ptr<const Predictor>> predictors_;
  std::vector<std::unique_ptr<const Predictor>> after_update_;
  std::vector<JudgedValue> values_;
};

}  // namespace shardproof
