#include "options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <deque>
#include <filesystem>
#include <utility>

#include "shardproof/case/error.h"
#include "verb_options.h"

namespace shardproof::cli {
namespace {

constexpr std::array kVerbs{
    std::string_view("check"), std::string_view("replay"),   std::string_view("explain"),
    std::string_view("bound"), std::string_view("claim"),    std::string_view("soak"),
    std::string_view("list"),  std::string_view("demo"),     std::string_view("mutate"),
    std::string_view("init"),  std::string_view("generate"), std::string_view("judge")};

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
  InitRequest init;
  GenerateRequest generate;
  JudgeRequest judge;
};

class CliVerbOptions final : public VerbOptions {
 public:
  explicit CliVerbOptions(CLI::App& verb) : verb_(verb) {}

  void text(const std::string& option, const std::string& what, const std::string& value,
            std::function<void(const std::string&)> read) override {
    verb_.add_option_function<std::string>(option, std::move(read), what)->type_name(value);
  }
  void path(const std::string& option, const std::string& what, const std::string& value,
            std::string& to) override {
    text(option, what, value, [option, &to](const std::string& path) {
      if (path.empty()) throw InputError("", option + " must not be empty");
      to = path;
    });
  }
  void flag(const std::string& option, bool& to, const std::string& what) override {
    verb_.add_flag(option, to, what);
  }
  void argument(const std::string& name, std::string& to, const std::string& what) override {
    verb_.add_option(name, to, what);
  }
  void argument(const std::string& name, std::vector<std::string>& to,
                const std::string& what) override {
    verb_.add_option(name, to, what);
  }

 private:
  CLI::App& verb_;
};

class CliVerbs final : public Verbs {
 public:
  explicit CliVerbs(CLI::App& app) : app_(app) {}

  VerbOptions& add(const std::string& name, const std::string& what) override {
    return added_.emplace_back(*app_.add_subcommand(name, what));
  }

 private:
  CLI::App& app_;
  std::deque<CliVerbOptions> added_;
};

void add_verbs(Verbs& verbs, Requests& to) {
  add_check(verbs, to.check);
  add_replay(verbs, to.replay);
  verbs.add("explain", "Show a saved case in exact numbers")
      .argument("FILE", to.explain.file, "A counterexample");
  add_bound(verbs, to.bound);
  add_claim(verbs, to.claim);
  add_soak(verbs, to.soak);
  verbs.add("list", "List subjects, properties, conditions, claims and dtypes")
      .argument("WHAT", to.list, "`faults`: the catalogue of faults instead");
  verbs.add("demo", "Reproduce the two examples that shardproof grew from");
  add_mutate(verbs, to.mutate);
  add_generate(verbs, to.generate);
  add_judge(verbs, to.judge);
  VerbOptions& init = verbs.add("init", "Write a subject to fill in");
  init.argument("KIND", to.init.kind, "c, python, torch-hook, torch-step, jax-step");
  init.argument("FILE", to.init.file, "Where to; never over a file that is there");
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
    if (!request.subject.command.empty()) {
      throw InputError("", "`" + request.files.back() + "` is no file, and -- COMMAND the subject");
    }
    request.subject.name = request.files.back();
    request.files.pop_back();
  }
  return request;
}

void check_subject(const SubjectRequest& subject) {
  if (subject.name.empty() && subject.command.empty()) {
    throw InputError("", "no SUBJECT; `shardproof list` names them");
  }
  if (!subject.name.empty() && !subject.command.empty()) {
    throw InputError("", "both a SUBJECT, `" + subject.name + "`, and a COMMAND");
  }
}

ListRequest list_of(const std::string& what) {
  if (!what.empty() && what != "faults") {
    throw InputError("", "cannot list `" + what + "`; known: faults");
  }
  return {.faults = !what.empty()};
}

/// What stands behind `--`.
void set_command(std::string_view verb, std::vector<std::string> command, Requests& requests) {
  if (command.empty()) throw InputError("", "no COMMAND after `--`");
  if (verb == "check") {
    requests.check.subject.command = std::move(command);
  } else if (verb == "claim") {
    requests.claim.subject.command = std::move(command);
  } else if (verb == "explain") {
    requests.explain.subject.command = std::move(command);
  } else if (verb == "replay") {
    requests.replay.subject.command = std::move(command);
  } else {
    throw InputError("", "takes no COMMAND");
  }
}

Request asked_of(std::string_view verb, Requests requests) {
  if (verb == "check") {
    check_subject(requests.check.subject);
    return std::move(requests.check);
  }
  if (verb == "replay") return with_subject(std::move(requests.replay));
  if (verb == "explain") {
    if (requests.explain.file.empty()) throw InputError("", "no FILE to explain");
    return std::move(requests.explain);
  }
  if (verb == "bound") return std::move(requests.bound);
  if (verb == "claim") {
    check_subject(requests.claim.subject);
    return std::move(requests.claim);
  }
  if (verb == "soak") return std::move(requests.soak);
  if (verb == "list") return list_of(requests.list);
  if (verb == "generate") return std::move(requests.generate);
  if (verb == "judge") {
    if (requests.judge.results.empty()) throw InputError("", "takes CASES and RESULTS, two files");
    return std::move(requests.judge);
  }
  if (verb == "init") return std::move(requests.init);
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
  const int own =
      static_cast<int>(std::find(arguments, arguments + count, std::string_view("--")) - arguments);
  if (own < count) {
    set_command(arguments[1], {arguments + own + 1, arguments + count}, requests);
    count = own;
  }
  CLI::App app("Refutes wrong gradient reductions", "shardproof");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 nothing refuted, 1 refuted or failed, 2 bad usage or input, 3 the subject\n"
      "could not be started, 4 nothing ran, 5 internal error, 130 interrupted.");
  CliVerbs verbs(app);
  add_verbs(verbs, requests);
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
