#include "shardproof/subject/fault.h"

namespace shardproof {
namespace {

const char* symbol(Count count) {
  switch (count) {
    case Count::ranks:
      return "P";
    case Count::micro_batches:
      return "K";
    case Count::valid:
      return "n_jk";
    case Count::valid_of_rank:
      return "n_j";
    case Count::valid_of_all:
      return "N";
    case Count::own_valid:
      return "n_r";
    case Count::own_variance_divisor:
      return "(P n_r - 1)";
    case Count::rows:
      return "rows_jk";
    case Count::rows_of_all:
      return "rows";
    case Count::ranks_with_rows:
      return "ranks_with_rows";
    case Count::micro_batches_with_rows:
      return "micro_batches_with_rows";
    case Count::leaf_size:
      return "leaf_size";
    case Count::largest_batch:
      return "largest_N";
    case Count::valid_so_far:
      return "N_so_far";
    case Count::whole_share:
      return "floor(N/P)";
    case Count::pairs_of_ranks:
      return "ceil(P/2)";
    case Count::leaves:
      return "leaves";
  }
  return "";
}

std::string product(std::uint64_t factor, const std::vector<Count>& counts) {
  std::string text;
  if (factor != 1 || counts.empty()) text = std::to_string(factor);
  for (const Count count : counts) text.append(text.empty() ? "" : " ").append(symbol(count));
  return text;
}

std::string text_of(const Weigh& weigh) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text.append(text.empty() ? "" : ", ").append(part);
  };
  if (weigh.term) add("a mean weighs " + describe(*weigh.term));
  if (weigh.rest) add("any other " + describe(*weigh.rest));
  if (weigh.result) add("the result is multiplied by " + describe(*weigh.result));
  if (weigh.own) {
    add(std::string("the own means weigh ") + describe(*weigh.own) +
        (weigh.own_alone ? " and no other enters" : " more"));
  }
  return text.empty() ? "nothing" : text;
}

std::string text_of(const Recount& recount) {
  const char* as = recount.as == Recount::As::zero  ? "0"
                   : recount.as == Recount::As::one ? "1"
                                                    : "all its rows";
  return std::string("a micro-batch counts as ") + as +
         (recount.weighs ? " in weight and divisor" : " in the divisor");
}

std::string text_of(Misplaced misplaced) {
  switch (misplaced) {
    case Misplaced::last_two_leaves:
      return "the last two leaves change places";
    case Misplaced::next_element:
      return "elements are shifted by one";
    case Misplaced::within_leaf:
      return "elements are shifted by one in their leaf";
    case Misplaced::next_leaf:
      return "a leaf holds its successor";
    case Misplaced::packed:
      break;
  }
  return "absent leaves are left out when packing";
}

std::string text_of(Stale stale) {
  return stale == Stale::result ? "the result of the step before"
                                : "the contribution of the step before";
}

std::string text_of(Special special) {
  switch (special) {
    case Special::overwritten_input:
      return "the input is overwritten";
    case Special::nan_from_nothing:
      return "NaN where no row is valid";
    case Special::nan_from_empty:
      return "NaN where a rank has no valid row";
    case Special::own_count:
      return "the own count is returned";
    case Special::ranks_as_count:
      return "the number of ranks is returned as the count";
    case Special::own_norm:
      return "the norm is of values that were not reduced";
    case Special::low_half:
      return "f32 memory is read as f16";
    case Special::half_sum:
      return "the sum is stored as f16 before the division";
    case Special::half_share:
      return "the share of 1024 ranks is stored as f16 before the sum";
    case Special::first_scale:
      return "rank 0's scale is applied to the codes of all";
    case Special::small_lost:
      break;
  }
  return "what is below 1/8 of the largest element is lost";
}

const char* text_of(Trigger::Ranks ranks) {
  switch (ranks) {
    case Trigger::Ranks::first:
      return "rank 0";
    case Trigger::Ranks::last:
      return "the last rank";
    case Trigger::Ranks::all_but_first:
      return "all ranks but 0";
    case Trigger::Ranks::all_but_last:
      return "all ranks but the last";
    default:
      return "";
  }
}

const char* text_of(Trigger::MicroBatches batches) {
  switch (batches) {
    case Trigger::MicroBatches::first:
      return "the first micro-batch";
    case Trigger::MicroBatches::last:
      return "the last micro-batch";
    case Trigger::MicroBatches::all_but_first:
      return "all micro-batches but the first";
    case Trigger::MicroBatches::all_but_last:
      return "all micro-batches but the last";
    default:
      return "";
  }
}

const char* text_of(Trigger::Elements elements) {
  switch (elements) {
    case Trigger::Elements::every:
    case Trigger::Elements::gradient:
      return "";
    case Trigger::Elements::loss:
      return "the loss";
    case Trigger::Elements::kernels:
      return "kernels";
    case Trigger::Elements::biases:
      return "biases";
    case Trigger::Elements::first_leaf:
      return "the first leaf";
    case Trigger::Elements::last_leaf:
      return "the last leaf";
    case Trigger::Elements::all_but_first_leaf:
      return "all leaves but the first";
    case Trigger::Elements::tail:
      return "elements past the last full chunk";
    case Trigger::Elements::other_chunks:
      break;
  }
  return "elements outside the own chunk";
}

std::string text_of_worlds(const Trigger& trigger) {
  const std::string world = std::to_string(trigger.world);
  switch (trigger.worlds) {
    case Trigger::Worlds::every:
      return "";
    case Trigger::Worlds::power_of_two:
      return "world sizes that are powers of two";
    case Trigger::Worlds::no_power_of_two:
      return "world sizes that are no power of two";
    case Trigger::Worlds::at_least:
      return world + " ranks or more";
    case Trigger::Worlds::at_most:
      return world + " ranks or fewer";
    case Trigger::Worlds::exactly:
      break;
  }
  return "exactly " + world + " ranks";
}

std::string text_of_lengths(const Trigger& trigger) {
  const std::string length = std::to_string(trigger.length);
  switch (trigger.lengths) {
    case Trigger::Lengths::every:
      return "";
    case Trigger::Lengths::no_multiple_of:
      return "leaf lengths that are no multiple of " + length;
    case Trigger::Lengths::at_least:
      return "leaves of " + length + " elements or more";
    case Trigger::Lengths::at_most:
      break;
  }
  return "leaves of " + length + " elements or fewer";
}

std::string text_of_steps(const Trigger& trigger) {
  if (trigger.from_step == 0 && trigger.to_step == Trigger{}.to_step) return "";
  if (trigger.from_step == trigger.to_step) return "step " + std::to_string(trigger.from_step);
  if (trigger.from_step == 0) return "steps up to " + std::to_string(trigger.to_step);
  return "steps from " + std::to_string(trigger.from_step) + " on";
}

std::string text_of(const Trigger& trigger) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text.append(text.empty() ? " [" : ", ").append(part);
  };
  add(trigger.ranks == Trigger::Ranks::only ? "rank " + std::to_string(trigger.rank)
                                            : text_of(trigger.ranks));
  add(text_of_worlds(trigger));
  add(text_of(trigger.micro_batches));
  if (trigger.least_micro_batches > 1) {
    add(std::to_string(trigger.least_micro_batches) + " micro-batches or more");
  }
  add(text_of(trigger.elements));
  add(text_of_lengths(trigger));
  add(text_of_steps(trigger));
  if (trigger.padded_rows > 0) add(std::to_string(trigger.padded_rows) + " padded rows or more");
  if (trigger.absent == Trigger::Absent::from_last)
    add("leaves that the last micro-batch is without");
  if (trigger.absent == Trigger::Absent::somewhere) add("ranks that are without some leaf");
  if (trigger.arrival == Trigger::Arrival::before_rank_0) add("ranks that arrive before rank 0");
  if (trigger.dtype) add(std::string(name(*trigger.dtype)));
  return text.empty() ? text : text + "]";
}

}  // namespace

Weight right_weight() { return {.times = {Count::valid}, .over = {Count::valid_of_all}}; }

std::string describe(const Weight& weight) {
  const std::string above = product(weight.factor, weight.times);
  if (weight.divisor == 1 && weight.over.empty()) return above;
  const bool single = weight.over.size() + (weight.divisor == 1 ? 0 : 1) == 1;
  const std::string below = product(weight.divisor, weight.over);
  // A divisor of 1 is left out where counts stand.
  return above + " / " + (single ? below : "(" + below + ")");
}

std::string describe(const Fault& fault) {
  return std::visit([](const auto& what) { return text_of(what); }, fault.what) +
         text_of(fault.when);
}

}  // namespace shardproof
