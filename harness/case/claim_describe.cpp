#include <string>

#include "case/claim_names.h"
#include "shardproof/case/claim.h"

namespace shardproof {

std::string describe(const Claim& claim, Dtype dtype) {
  const auto words = [](std::string_view dashed) {
    std::string text(dashed);
    for (char& c : text) {
      if (c == '-') c = ' ';
    }
    return text;
  };
  std::string text = "target " + words(name_of(kTargets, claim.target)) + ", ";
  text += claim.roundings ? std::to_string(*claim.roundings) +
                                (*claim.roundings == 1 ? " rounding" : " roundings") +
                                " of each term before the last"
                          : "any placement";
  text += ", " + std::string(name(role_dtypes(claim, dtype).accumulate)) + " accumulation";
  const auto say_role = [&text](const char* before, std::optional<Dtype> said, const char* after) {
    if (said) text.append(before).append(name(*said)).append(after);
  };
  say_role(", products in ", claim.multiply, "");
  say_role(", contributions in ", claim.gradient, "");
  say_role(", ", claim.wire, " on the wire");
  say_role(", results in ", claim.output, "");
  say_role(", counts summed in ", claim.count, "");
  say_role(", master weights in ", claim.master, "");
  const Claim usual;
  if (claim.input != usual.input) text += ", input " + words(name_of(kInputs, claim.input));
  if (claim.result != usual.result) text += ", the result in pieces";
  if (claim.levels != 1) text += ", " + std::to_string(claim.levels) + " levels of averaging";
  if (claim.summation != usual.summation) text += ", summation by a tree";
  if (claim.accumulation != usual.accumulation) text += ", running mean over micro-batches";
  if (claim.rounding != usual.rounding) text += ", faithful rounding";
  if (claim.flush != usual.flush) {
    text += claim.flush == Flush::yes ? ", subnormals flushed" : ", subnormals kept or flushed";
  }
  if (claim.all_empty != usual.all_empty) text += ", NaN allowed where no row is valid";
  if (claim.update != usual.update) text += ", update from the returned gradient";
  return text;
}

}  // namespace shardproof
