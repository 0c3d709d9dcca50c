#include "shardproof/properties/soak.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "exit_status.h"
#include "interrupt.h"
#include "progress.h"
#include "seed.h"
#include "shardproof/case/error.h"
#include "verbs.h"
#include "whole_file.h"

namespace shardproof::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 4> kSummations{"tree", "any order",
                                                      "any order, any placement", "running mean"};

// Rounded down: so near was a right result to its limit, at least.
std::string ratio(double value) { return fmt::format("{:.4f}", std::max(0.0, value - 0.5e-4)); }

/// One row: judgements, and the largest ratio of each kind of claim.
struct Row {
  std::int64_t judgements = 0;
  std::map<std::string, double> tightest;

  void add(const SoakTally& tally) {
    if (tally.judgements == 0) return;
    judgements += tally.judgements;
    double& most = tightest[tally.summation];
    most = std::max(most, tally.tightest);
  }
};

std::string table(const std::string& title, const std::map<std::string, Row>& rows) {
  std::string out = fmt::format("{:36} {:>12} {:>9} {:>9} {:>9} {:>12}\n", title, "judgements",
                                "tree", "order", "any", "running mean");
  constexpr std::array<int, 4> kWidths{9, 9, 9, 12};
  for (const auto& [name, row] : rows) {
    out += fmt::format("  {:34} {:>12}", name, row.judgements);
    for (std::size_t i = 0; i < kSummations.size(); ++i) {
      const auto found = row.tightest.find(std::string(kSummations[i]));
      const std::string shown = found == row.tightest.end() ? "-" : ratio(found->second);
      out += fmt::format(" {:>{}}", shown, kWidths[i]);
    }
    out += '\n';
  }
  return out;
}

std::string tables(const SoakResult& result) {
  std::map<std::string, Row> dtypes;
  std::map<std::string, Row> scalings;
  for (const SoakTally& tally : result.tallies) {
    dtypes[tally.sums].add(tally);
    if (tally.dtypes != tally.sums) dtypes["with a wire, or another output"].add(tally);
    scalings[tally.scaling].add(tally);
  }
  return "largest error of a right result as a share of what its claim allows: a tree with its\n"
         "roundings counted, any order with its roundings counted, any order and placement,\n"
         "running means over micro-batches; each combination stands in --json\n" +
         table("dtypes", dtypes) + table("scaling", scalings);
}

std::string json(const SoakRequest& request, std::uint64_t seed, const SoakResult& result) {
  std::string tallies;
  for (const SoakTally& tally : result.tallies) {
    tallies += fmt::format(
        "{}\n    {{\"dtypes\": \"{}\", \"scaling\": \"{}\", \"summation\": \"{}\", "
        "\"judgements\": {}, \"undecided\": {}, \"tightest\": {}}}",
        tallies.empty() ? "" : ",", tally.dtypes, tally.scaling, tally.summation, tally.judgements,
        tally.undecided, tally.tightest);
  }
  return fmt::format(
      "{{\n  \"format\": \"shardproof.soak-report\",\n  \"version\": 1,\n  \"seed\": {},\n"
      "  \"asked_for\": {},\n  \"judgements\": {},\n  \"on_threads\": {},\n  \"exactly\": {},\n"
      "  \"undecided\": {},\n  \"false_refutations\": {},\n  \"claims\": [{}\n  ]\n}}\n",
      seed, request.judgements, result.judgements, result.on_threads, result.exactly,
      result.undecided, result.refutation ? 1 : 0, tallies);
}

std::string saved(const SoakRequest& request, std::uint64_t seed, const SoakRefutation& found) {
  if (request.save.empty()) return "";
  std::error_code error;
  std::filesystem::create_directories(request.save, error);
  if (error) throw InputError("", "--save " + request.save + ": " + error.message());
  const std::string name = fmt::format("soak-seed{}-batch{}.json", seed, found.batch);
  const std::string path = (std::filesystem::path(request.save) / name).string();
  write_whole_file(path, to_json(found, seed));
  return path;
}

std::string refutation(const SoakRefutation& found, const std::string& path) {
  std::string out = fmt::format("FALSE REFUTATION   batch {}: {}\n  {}\n  claim: {}\n", found.batch,
                                found.what, found.failure.sentence, settings(found.claim));
  if (!path.empty()) out += "  saved " + path + '\n';
  return out;
}

ExitStatus status_of(const SoakResult& result) {
  if (result.refutation) return kRefuted;
  return interrupted() ? kInterrupted : kNothingRefuted;
}

}  // namespace

int soak(const SoakRequest& request) {
  if (!request.json.empty()) check_writable("--json", request.json);
  const std::uint64_t seed = chosen_seed(request.seed);
  catch_interrupts();
  const Clock::time_point begin = Clock::now();
  SoakOptions options;
  options.judgements = request.judgements;
  options.seed = seed;
  options.jobs = request.jobs;
  options.stop = [&] {
    return interrupted() || (request.time && Clock::now() - begin >= *request.time);
  };
  const SoakResult result = shardproof::soak(options);
  const std::chrono::duration<double> taken = Clock::now() - begin;
  std::fputs(tables(result).c_str(), stdout);
  if (result.refutation) {
    const std::string path = saved(request, seed, *result.refutation);
    std::fputs(refutation(*result.refutation, path).c_str(), stdout);
  }
  if (!request.json.empty()) write_whole_file(request.json, json(request, seed, result));
  fmt::print(
      "soak, seed {}: {} judgements of elements, {} of them on threads, {} by exact "
      "arithmetic; {} undecided; {} false refutation{}\n",
      seed, result.judgements, result.on_threads, result.exactly, result.undecided,
      result.refutation ? 1 : 0, result.refutation ? "" : "s");
  fmt::print(stderr, "{:.1f} s, {:.1f} million judgements a second\n", taken.count(),
             static_cast<double>(result.judgements) / 1e6 / taken.count());
  return status_of(result);
}

}  // namespace shardproof::cli
