#include "judge/given.h"

#include <cmath>
#include <string>

#include "judge/local.h"
#include "judge/sentence.h"
#include "shardproof/case/error.h"
#include "shardproof/exact/bound.h"
#include "shardproof/exact/exact_sum.h"
#include "shardproof/exact/rational.h"
#include "shardproof/judge/reference.h"
#include "shardproof/subject/local_gradient.h"

namespace shardproof {
namespace {

bool within(double value, const Dyadic& numerator, std::uint64_t divisor, double bound) {
  if (!std::isfinite(value)) return false;
  if (std::isinf(bound)) return true;
  ExactSum sum;
  sum.add(value, divisor);
  sum.add(numerator, 1, true);
  const int side = sum.sign();
  sum.add(-side * bound, divisor);
  return sum.sign() != side || side == 0;
}

std::uint64_t rows_divisor(InputForm form, ValidCount micro_batch, ValidCount step) {
  if (form == InputForm::local_sum) return 1;
  const ValidCount rows = form == InputForm::local_mean ? micro_batch : step;
  return static_cast<std::uint64_t>(rows.value);
}

/// One micro-batch and what was given for it.
struct Given {
  const Case& problem;
  LocalDtypes dtypes;
  const MicroBatch& rows;
  const GivenContributions::Item& item;
  std::string place;

  [[noreturn]] void refuse(const std::string& what, double value, const std::string& due) const {
    throw InputError(place + what, shortest(problem.dtype, value) +
                                       " does not belong to the rows, which give " + due);
  }

  void check_zeros() const {
    for (std::size_t e = 0; e < item.gradient.size(); ++e) {
      if (item.gradient[e] != 0)
        refuse(".gradient[" + std::to_string(e) + ']', item.gradient[e], "0");
    }
    if (item.loss != 0) refuse(".loss", item.loss, "0");
  }

  void check_representable() const {
    const auto check = [&](const std::string& what, double value) {
      if (representable(dtypes.store, value)) return;
      throw InputError(place + what, shortest(Dtype::f64, value) + " is no value of " +
                                         std::string(name(dtypes.store)));
    };
    for (std::size_t e = 0; e < item.gradient.size(); ++e) {
      check(".gradient[" + std::to_string(e) + ']', item.gradient[e]);
    }
    check(".loss", item.loss);
  }

  void check(InputForm form, ValidCount step) const {
    check_representable();
    const ValidCount mine = rows.valid();
    if (mine.value == 0) return check_zeros();
    const Model& model = problem.model;
    LocalArithmetic arithmetic = arithmetic_of_contribution(dtypes);
    arithmetic.scale = gradient_scale(form, model, mine, step);
    arithmetic.loss_scale = loss_scale(form, model, mine, step);
    const EvaluatedRows evaluated{&rows, model.parameters};
    const LocalBound bound = local_bound(model, {&evaluated, 1}, arithmetic);
    if (bound.may_overflow) return;
    const std::uint64_t divisor =
        rows_divisor(form, mine, step) * static_cast<std::uint64_t>(model.outputs());
    const WeightedRows group{&rows, model.parameters, 1};
    const ExactTree tree = exact_gradient(model, {&group, 1}, divisor);
    for (std::size_t e = 0; e < item.gradient.size(); ++e) {
      if (within(item.gradient[e], tree.numerators[e], divisor, bound.gradient[e])) continue;
      refuse(".gradient[" + std::to_string(e) + ']', item.gradient[e],
             readable(tree.numerators[e], divisor));
    }
    const ExactLoss loss = exact_loss(model, {&group, 1}, divisor);
    if (within(item.loss, loss.numerator, divisor, bound.loss)) return;
    refuse(".loss", item.loss, readable(loss.numerator, divisor));
  }
};

}  // namespace

void check_given(const Case& problem, InputForm form, Dtype gradient) {
  if (problem.given == nullptr) return;
  const auto index = [](std::size_t i) { return '[' + std::to_string(i) + ']'; };
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const Step& step = problem.steps[s];
    for (std::size_t r = 0; r < step.shards.size(); ++r) {
      const std::vector<MicroBatch>& batches = step.shards[r].micro_batches;
      for (std::size_t m = 0; m < batches.size(); ++m) {
        const Given given{problem, local_dtypes(problem.dtype, gradient), batches[m],
                          problem.given->items[s][r][m], "given" + index(s) + index(r) + index(m)};
        given.check(form, step.valid());
      }
    }
  }
}

}  // namespace shardproof
