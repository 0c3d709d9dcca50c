#include <fmt/format.h>

#include <cstdio>

#include "exit_status.h"
#include "seed.h"
#include "shardproof/properties/weakest_claim.h"
#include "subjects.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

std::string settings_of(const WeakestClaim& found) {
  std::string text;
  for (const Weakening& weakening : found.weakenings) {
    if (text.find(weakening.setting) != std::string::npos) continue;
    text += (text.empty() ? "" : ",") + weakening.setting;
  }
  return text;
}

std::string words_of(const WeakestClaim& found) {
  std::string text;
  for (const Weakening& weakening : found.weakenings) {
    text += (text.empty() ? "" : ", ") + weakening.words;
  }
  return text.empty() ? "anything that can be claimed" : text;
}

std::string described(const WeakestClaim& found, bool first) {
  std::string out =
      fmt::format("{}consistent if you claim: {}\n", first ? "" : "or ", words_of(found));
  for (const Weakening& weakening : found.weakenings) {
    out += fmt::format("  without \"{}\": {}\n", weakening.words, weakening.refutation);
  }
  if (!found.weakenings.empty()) {
    out += fmt::format("  as settings: {}\n", settings_of(found));
  }
  return out;
}

}  // namespace

int claim(const ClaimRequest& request) {
  WeakestClaimOptions options;
  options.cases = request.cases;
  options.seed = chosen_seed(request.seed);
  options.draw = request.draw;
  options.limits.timeout = request.timeout;
  std::unique_ptr<Subject> subject = make_subject(request.subject, "");
  const std::string name = subject->name();
  const WeakestClaims found = weakest_claims(std::move(subject), options);
  std::string out;
  if (found.claims.empty()) {
    out = fmt::format("refuted under every claim that could be made\n  {}\n", found.refutation);
  }
  bool first = true;
  for (const WeakestClaim& each : found.claims) {
    out += described(each, first);
    first = false;
  }
  out += fmt::format(
      "subject {}, seed {}: {} cases for each claim, {} executions; consistent is no "
      "proof\n",
      name, options.seed, options.cases, found.executions);
  std::fputs(out.c_str(), stdout);
  return found.claims.empty() ? kRefuted : kNothingRefuted;
}

}  // namespace shardproof::cli
