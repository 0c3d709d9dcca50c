#include "options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <functional>

#include "shardproof/case/error.h"
#include "values.h"

namespace shardproof::cli {
namespace {

constexpr std::array kVerbs{
    std::string_view("check"), std::string_view("replay"), std::string_view("explain"),
    std::string_view("bound"), std::string_view("claim"),  std::string_view("soak"),
    std::string_view("list"),  std::string_view("demo"),   std::string_view("mutate")};

// CLI11 only takes the line apart; values are read here, so that a refusal is one plain line.
void on_text(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::function<void(const std::string&)> read) {
  app.add_option_function<std::string>(option, std::move(read), what)->type_name(value);
}

// An empty path, as of a variable that is not set, must not mean that nothing is written.
void on_path(CLI::App& app, const std::string& option, const std::string& what,
             const std::string& value, std::string& to) {
  on_text(app, option, what, value, [option, &to](const std::string& text) {
    if (text.empty()) throw InputError("", option + " must not be empty");
    to = text;
  });
}

void add_check(CLI::App& app, CheckRequest& to) {
  CLI::App& check = *app.add_subcommand("check", "Search for a case that refutes a subject");
  check.add_option("SUBJECT", to.subject, "A built-in subject; see `shardproof list`");
  check.add_option("--property", to.properties, "Properties to judge, globs separated by commas")
      ->type_name("GLOB");
  on_text(check, "--condition", "Conditions to draw: equal, unequal, padded, empty", "LIST",
          [&to](const auto& text) { to.draw.conditions = condition_set("--condition", text); });
  on_text(check, "--dtype", "Dtypes to draw: f32, f64", "LIST",
          [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  on_text(check, "--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.world_asked_for = true;
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  check.add_option("--claim", to.claim, "What the subject claims, where not the usual")
      ->type_name("KEY=VALUE,...");
  on_text(check, "--cases", "Cases to draw (1000)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_text(check, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(check, "--time", "Stop drawing cases after this long", "SECONDS",
          [&to](const auto& text) { to.time = seconds("--time", text); });
  on_text(check, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
  on_path(check, "--save", "Write counterexamples into this directory", "DIR", to.save);
  on_path(check, "--junit", "Write a JUnit report", "FILE", to.junit);
  on_path(check, "--json", "Write a JSON report", "FILE", to.json);
  check.add_flag("--quiet", to.quiet, "Print failures and the seed only");
}

void add_replay(CLI::App& app, ReplayRequest& to) {
  CLI::App& replay = *app.add_subcommand("replay", "Run saved counterexamples again");
  replay.add_option("FILE", to.files,
                    "Counterexamples; a last argument that is no file is the SUBJECT to run");
  replay.add_option("--property", to.properties, "Properties to judge (each file's own)")
      ->type_name("GLOB");
  on_text(replay, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

void add_mutate(CLI::App& app, MutateRequest& to) {
  CLI::App& mutate = *app.add_subcommand("mutate", "Judge every wrong subject by every property");
  on_text(mutate, "--seed", "Same seed, same report (0)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(mutate, "--seeds", "How many seeds from there on; the matrix is of the first (1)", "K",
          [&to](const auto& text) { to.seeds = whole_number("--seeds", text, 1); });
  on_text(mutate, "--cases", "Cases to draw for one subject (1000)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_path(mutate, "--json", "Write the matrix as JSON", "FILE", to.json);
  on_path(mutate, "--markdown", "Write the matrix as Markdown", "FILE", to.markdown);
  mutate.add_flag("--quiet", to.quiet, "Print the laws and the summary only");
  mutate.add_flag("--minimality", to.minimality,
                  "Execute all simpler cases of a small domain instead (some minutes)");
}

void add_soak(CLI::App& app, SoakRequest& to) {
  static constexpr int kMostJobs = 256;
  CLI::App& soak = *app.add_subcommand("soak", "Look for a right reduction that is refuted");
  on_text(soak, "--judgements", "Results of elements to judge (10000000)", "N",
          [&to](const auto& text) { to.judgements = large_number("--judgements", text); });
  on_text(soak, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(soak, "--time", "Stop after this long", "SECONDS",
          [&to](const auto& text) { to.time = seconds("--time", text); });
  on_text(soak, "--jobs", "Threads that judge (2)", "N", [&to](const auto& text) {
    to.jobs = std::min(whole_number("--jobs", text, 1), kMostJobs);
  });
  on_path(soak, "--json", "Write a JSON report", "FILE", to.json);
  on_path(soak, "--save", "Write a false refutation into this directory", "DIR", to.save);
}

void add_bound_roles(CLI::App& bound, BoundRequest& to) {
  const auto on_dtype = [&bound](const char* option, const char* what, auto& field) {
    on_text(bound, option, what, "DTYPE",
            [option, &field](const auto& text) { field = dtype(option, text); });
  };
  on_dtype("--dtype", "Of what is handed in (f32)", to.dtype);
  on_dtype("--accumulate", "Of every intermediate result (that of --dtype)", to.accumulate);
  on_dtype("--output", "Of the result (that of --dtype)", to.output);
  on_dtype("--wire", "To which terms are converted to be sent (none)", to.wire);
}

void add_bound_sum(CLI::App& bound, BoundRequest& to) {
  on_text(bound, "--placement", "Of the division: any, or the roundings of a term (any)", "any|M",
          [&to](const auto& text) {
            to.roundings.reset();
            if (text != "any") to.roundings = whole_number("--placement", text, 0);
          });
  on_text(bound, "--summation", "any order, or a tree of rounded additions (any)", "any|tree",
          [&to](const auto& text) { to.tree = second_of("--summation", text, "any", "tree"); });
  on_text(bound, "--levels", "Levels of averaging over ranks (1)", "L",
          [&to](const auto& text) { to.levels = whole_number("--levels", text, 1); });
  on_text(bound, "--rounding", "nearest, or faithful (nearest)", "nearest|faithful",
          [&to](const auto& text) {
            to.faithful = second_of("--rounding", text, "nearest", "faithful");
          });
  on_text(bound, "--flush", "Whether subnormals may become zero (no)", "no|either",
          [&to](const auto& text) { to.flush = second_of("--flush", text, "no", "either"); });
}

void add_bound(CLI::App& app, BoundRequest& to) {
  CLI::App& bound = *app.add_subcommand("bound", "Print the proved error bound of a reduction");
  add_bound_roles(bound, to);
  on_text(bound, "--ranks", "Ranks that reduce together (2)", "P",
          [&to](const auto& text) { to.ranks = whole_number("--ranks", text, 1, kMaxWorldSize); });
  on_text(bound, "--micro-batches", "Of each rank (1)", "K", [&to](const auto& text) {
    to.micro_batches = whole_number("--micro-batches", text, 1, kMaxMicroBatches);
  });
  on_text(bound, "--terms", "Local means, rank by rank (any)", "V,V,...",
          [&to](const auto& text) { to.terms = numbers("--terms", text); });
  on_text(bound, "--counts", "Valid rows of each term (1 each)", "N,N,...",
          [&to](const auto& text) { to.counts = counts("--counts", text); });
  add_bound_sum(bound, to);
}

void add_claim(CLI::App& app, ClaimRequest& to) {
  CLI::App& claim = *app.add_subcommand("claim", "Say what a subject may claim");
  claim.add_option("SUBJECT", to.subject, "A built-in subject; see `shardproof list`");
  on_text(claim, "--cases", "Cases to draw for each claim that is tried (300)", "N",
          [&to](const auto& text) { to.cases = whole_number("--cases", text, 1); });
  on_text(claim, "--seed", "Same seed, same report (random; 0 where CI is set)", "N",
          [&to](const auto& text) { to.seed = seed("--seed", text); });
  on_text(claim, "--dtype", "Dtypes to draw: f32, f64", "LIST",
          [&to](const auto& text) { to.draw.dtypes = dtypes("--dtype", text); });
  on_text(claim, "--world", "World sizes to draw", "A..B", [&to](const auto& text) {
    const WorldRange range = world_range("--world", text);
    to.draw.min_world = range.least;
    to.draw.max_world = range.most;
  });
  on_text(claim, "--timeout", "Longest time for one execution (10)", "SECONDS",
          [&to](const auto& text) { to.timeout = seconds("--timeout", text); });
}

/// What each verb is asked for, as far as it was.
struct Requests {
  CheckRequest check;
  ReplayRequest replay;
  ExplainRequest explain;
  std::string list;
  MutateRequest mutate;
  BoundRequest bound;
  ClaimRequest claim;
  SoakRequest soak;
};

void add_verbs(CLI::App& app, Requests& to) {
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 nothing refuted, 1 refuted or failed, 2 bad usage or input, 3 the subject\n"
      "could not be started, 4 nothing ran, 5 internal error, 130 interrupted.");
  add_check(app, to.check);
  add_replay(app, to.replay);
  app.add_subcommand("explain", "Show a saved case in exact numbers")
      ->add_option("FILE", to.explain.file, "A counterexample");
  add_bound(app, to.bound);
  add_claim(app, to.claim);
  add_soak(app, to.soak);
  app.add_subcommand("list", "List subjects, properties, conditions, claims and dtypes")
      ->add_option("WHAT", to.list, "`faults`: the catalogue of faults instead");
  app.add_subcommand("demo", "Reproduce the two examples that shardproof grew from");
  add_mutate(app, to.mutate);
}

std::string known_verbs() {
  std::string known;
  for (const std::string_view verb : kVerbs)
    known += (known.empty() ? "" : ", ") + std::string(verb);
  return known;
}

void check_verb(int count, const char* const* arguments) {
  if (count < 2) throw InputError("", "no command; known: " + known_verbs());
  const std::string_view verb = arguments[1];
  if (verb == "-h" || verb == "--help" || !verb_of(count, arguments).empty()) return;
  throw InputError("", "unknown command `" + std::string(verb) + "`; known: " + known_verbs());
}

std::string known_options(const CLI::App& verb) {
  std::string known;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) known += (known.empty() ? "" : ", ") + option->get_name();
  }
  return known;
}

[[noreturn]] void refuse_extra(const CLI::App& app, const CLI::ExtrasError& error) {
  for (const CLI::App* verb : app.get_subcommands()) {
    const std::vector<std::string> extra = verb->remaining();
    if (extra.empty()) continue;
    throw InputError("",
                     "unknown argument `" + extra.front() + "`; known: " + known_options(*verb));
  }
  throw InputError("", error.what());
}

// A first argument is a file whatever it looks like; a later one only where it can be one.
bool looks_like_file(const std::string& argument) {
  std::error_code ignored;
  return argument.find('/') != std::string::npos || argument.ends_with(".json") ||
         std::filesystem::exists(argument, ignored);
}

ReplayRequest with_subject(ReplayRequest request) {
  if (request.files.empty()) throw InputError("", "no FILE to replay");
  if (request.files.size() > 1 && !looks_like_file(request.files.back())) {
    request.subject = request.files.back();
    request.files.pop_back();
  }
  return request;
}

ListRequest list_of(const std::string& what) {
  if (!what.empty() && what != "faults") {
    throw InputError("", "cannot list `" + what + "`; known: faults");
  }
  return {.faults = !what.empty()};
}

Request asked_of(std::string_view verb, Requests requests) {
  if (verb == "check") {
    if (requests.check.subject.empty()) {
      throw InputError("", "no SUBJECT; `shardproof list` names them");
    }
    return std::move(requests.check);
  }
  if (verb == "replay") return with_subject(std::move(requests.replay));
  if (verb == "explain") {
    if (requests.explain.file.empty()) throw InputError("", "no FILE to explain");
    return std::move(requests.explain);
  }
  if (verb == "bound") return std::move(requests.bound);
  if (verb == "claim") {
    if (requests.claim.subject.empty()) {
      throw InputError("", "no SUBJECT; `shardproof list` names them");
    }
    return std::move(requests.claim);
  }
  if (verb == "soak") return std::move(requests.soak);
  if (verb == "list") return list_of(requests.list);
  if (verb == "mutate") return std::move(requests.mutate);
  return DemoRequest{};
}

}  // namespace

std::string verb_of(int count, const char* const* arguments) {
  if (count < 2 || std::ranges::find(kVerbs, arguments[1]) == kVerbs.end()) return "";
  return arguments[1];
}

Request parse_arguments(int count, const char* const* arguments) {
  check_verb(count, arguments);
  Requests requests;
  CLI::App app("Refutes wrong gradient reductions", "shardproof");
  add_verbs(app, requests);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return HelpRequest{app.help()};
  } catch (const CLI::ExtrasError& error) {
    refuse_extra(app, error);
  } catch (const CLI::ParseError& error) {
    throw InputError("", error.what());
  }
  return asked_of(app.get_subcommands().front()->get_name(), std::move(requests));
}

}  // namespace shardproof::cli
