#include "judge/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace shardproof {
namespace {

/// More than of any confinement: right values that the formula says are wrong.
constexpr int kUnconfined = 3;

bool same_bits(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
}

bool same_terms(const PredictedTerm& a, const PredictedTerm& b) {
  return a.step == b.step && a.shard == b.shard && a.micro_batch == b.micro_batch &&
         a.element == b.element && a.weight == b.weight && same_bits(a.number, b.number);
}

bool same(const Prediction& a, const Prediction& b) {
  return same_bits(a.exactly, b.exactly) && std::ranges::equal(a.terms, b.terms, same_terms);
}

void negate(Dyadic& number) {
  number = Dyadic(!number.negative(), number.limbs(), number.exponent());
}

bool accepts(const Predictor& predictor, const PredictedElement& element,
             const JudgedValue& value) {
  if (!value.before) return predictor.accepts(element, value.step, value.returned);
  return predictor.accepts_update(element, value.step, {*value.before, value.returned});
}

/// Asks one hypothesis about values in their order: ranks are asked in turn about one element, and
/// most often the same is predicted of all of them.
class Asked {
 public:
  Asked(const Hypothesis& hypothesis, const Evidence& evidence)
      : hypothesis_(hypothesis), evidence_(evidence) {}

  /// \return  nothing where the hypothesis says nothing
  std::optional<bool> predicts(const JudgedValue& value) {
    std::optional<Prediction> prediction = hypothesis_.predict(evidence_.site(value));
    if (!prediction) return std::nullopt;
    const Predictor& predictor = hypothesis_.after_update ? evidence_.predictor_after_update(value)
                                                          : evidence_.predictor(value);
    const bool same_value = same_bits(last_.value.returned, value.returned) &&
                            same_bits(last_.value.before, value.before);
    if (&predictor != last_.predictor || value.step != last_.step ||
        !same(*prediction, last_.prediction)) {
      last_ = {&predictor, value.step, std::move(*prediction), {}, {}, false};
      last_.element = predictor.worked_out(last_.prediction, value.step);
      if (last_.element && hypothesis_.negated) negate(last_.element->reference.numerator);
    } else if (same_value) {
      return last_.accepted;
    }
    last_.value = value;
    last_.accepted = last_.element && accepts(predictor, *last_.element, value);
    return last_.accepted;
  }

 private:
  struct Last {
    const Predictor* predictor = nullptr;
    int step = 0;
    Prediction prediction;
    std::optional<PredictedElement> element;
    JudgedValue value;
    bool accepted = false;
  };

  const Hypothesis& hypothesis_;
  const Evidence& evidence_;
  Last last_;
};

bool has_to_fit(const JudgedValue& value, const Evidence& evidence, Explained explained) {
  if (explained == Explained::everything) return true;
  return evidence.is_loss(value) == (explained == Explained::loss);
}

bool predicts_wrong_values(Asked& asked, const Evidence& evidence, Explained explained) {
  return std::ranges::all_of(evidence.values(), [&](const JudgedValue& value) {
    if (!value.wrong || !has_to_fit(value, evidence, explained)) return true;
    return asked.predicts(value).value_or(false);
  });
}

std::vector<Fit> fits_of(Asked& asked, const Evidence& evidence, Explained explained) {
  std::vector<Fit> fits;
  fits.reserve(evidence.values().size());
  for (const JudgedValue& value : evidence.values()) {
    if (!has_to_fit(value, evidence, explained)) {
      fits.push_back({true, true});
    } else if (value.wrong) {
      fits.push_back({true, false});
    } else {
      fits.push_back({asked.predicts(value).value_or(true), true});
    }
  }
  return fits;
}

}  // namespace

std::optional<Explanation> explanation(const Hypothesis& hypothesis, const Evidence& evidence,
                                       Explained explained) {
  Asked asked(hypothesis, evidence);
  if (!predicts_wrong_values(asked, evidence, explained)) return std::nullopt;
  const std::vector<Fit> fits = fits_of(asked, evidence, explained);
  if (const std::optional<Confinement> found = confinement(evidence, fits)) {
    return Explanation{&hypothesis, found->conditions, found->text};
  }
  const auto against = std::ranges::count(fits, false, &Fit::formula);
  return Explanation{
      &hypothesis, kUnconfined,
      fmt::format("not everywhere: {} values that it would change are right", against)};
}

}  // namespace shardproof
