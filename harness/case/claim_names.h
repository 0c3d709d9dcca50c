#pragma once

#include <array>
#include <string_view>

#include "shardproof/case/claim.h"

namespace shardproof {

/// The words of a claim's fields in settings; with spaces for dashes, in descriptions.
template <class T>
struct Named {
  T value;
  std::string_view name;
};

inline constexpr std::array kTargets{Named{Target::weighted_mean, "weighted-mean"},
                                     Named{Target::mean_over_ranks, "mean-over-ranks"},
                                     Named{Target::sum, "sum"}};
inline constexpr std::array kInputs{Named{InputForm::local_mean, "local-mean"},
                                    Named{InputForm::local_sum, "local-sum"},
                                    Named{InputForm::global_mean, "global-mean"}};
inline constexpr std::array kResults{Named{Result::whole, "whole"},
                                     Named{Result::pieces, "pieces"}};
inline constexpr std::array kBiases{Named{Biases::any, "any"}, Named{Biases::yes, "yes"},
                                    Named{Biases::no, "no"}};
inline constexpr std::array kSummations{Named{Summation::any, "any"},
                                        Named{Summation::tree, "tree"}};
inline constexpr std::array kAccumulations{Named{Accumulation::summed, "summed"},
                                           Named{Accumulation::running_mean, "running-mean"}};
inline constexpr std::array kRoundings{Named{Rounding::nearest, "nearest"},
                                       Named{Rounding::faithful, "faithful"}};
inline constexpr std::array kFlushes{Named{Flush::no, "no"}, Named{Flush::yes, "yes"},
                                     Named{Flush::either, "either"}};
inline constexpr std::array kPaddings{Named{PaddingContent::finite, "finite"},
                                      Named{PaddingContent::any, "any"}};
inline constexpr std::array kAllEmpties{Named{AllEmpty::error_or_zeros, "error-or-zeros"},
                                        Named{AllEmpty::nan_allowed, "nan-allowed"}};
inline constexpr std::array kUpdates{Named{Update::any, "any"},
                                     Named{Update::from_returned, "from-returned"}};
inline constexpr std::array kYesNo{Named{true, "yes"}, Named{false, "no"}};

template <class T, std::size_t N>
std::string_view name_of(const std::array<Named<T>, N>& names, T value) {
  for (const Named<T>& named : names) {
    if (named.value == value) return named.name;
  }
  return "";
}

}  // namespace shardproof
