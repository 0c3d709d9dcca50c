#include "shardproof/subject/program.h"

#include <algorithm>
#include <bitset>
#include <exception>
#include <utility>

#include "shardproof/case/error.h"
#include "shardproof/subject/launcher.h"
#include "subject/program/conversation.h"
#include "subject/program/program_trial.h"
#include "subject/subject_under_claim.h"

namespace shardproof {
namespace {

std::string name_of(const std::vector<std::string>& command) {
  std::string name;
  for (const std::string& word : command) name += (name.empty() ? "" : " ") + word;
  return name;
}

/// What the program claims, as far as its ranks allow.
Claim claim_of(const Hello& hello, const std::string& settings) {
  Claim claim;
  try {
    claim = with_settings(Claim{}, hello.claim);
  } catch (const InputError& error) {
    throw StartError(std::string("what it claims: ") + error.what());
  }
  claim = with_settings(std::move(claim), settings);
  if (hello.world == 0) return claim;
  if (claim.min_world > hello.world) {
    throw StartError(std::to_string(hello.world) + " ranks have connected, the claim asks for " +
                     std::to_string(claim.min_world));
  }
  std::bitset<kMaxWorldSize + 1> worlds;
  for (int size = 1; size <= hello.world; ++size) {
    worlds.set(static_cast<std::size_t>(size), claim.takes_world(size));
  }
  claim.set_worlds(worlds);
  return claim;
}

class Program final : public SubjectUnderClaim {
 public:
  Program(ProgramOptions options, std::unique_ptr<Conversation> conversation)
      : SubjectUnderClaim(name_of(options.command),
                          claim_of(conversation->hello(0), options.claim)),
        options_(std::move(options)),
        conversation_(std::move(conversation)),
        hello_(conversation_->hello(0)) {}

  [[nodiscard]] SubjectKind kind() const override {
    return hello_.kind == ProgramKind::train_step ? SubjectKind::train_step : SubjectKind::reducer;
  }

  Outcome run(const SharedCase& problem, const Limits& limits) override {
    if (conversation_ == nullptr) {
      if (std::optional<std::string> why = start_process()) {
        usable_ = false;
        Died died;
        died.what = "could not be started again: " + *why;
        return died;
      }
    }
    const int world = problem->world_size().value;
    if (hello_.world != 0 && world > hello_.world) {
      Misbehaved misbehaved;
      misbehaved.what = "only " + std::to_string(hello_.world) + " ranks have connected";
      return misbehaved;
    }
    return run_trial(*problem, limits);
  }

  bool restart() override {
    conversation_ = nullptr;
    usable_ = !start_process().has_value();
    return usable_;
  }
  [[nodiscard]] bool usable() const override { return usable_; }

 private:
  Outcome run_trial(const Case& problem, const Limits& limits) {
    const SharedShape shape = tree_shape(problem.model);
    AllContributions contributions;
    const bool reducer = kind() == SubjectKind::reducer;
    if (reducer) contributions = all_contributions(problem, claim().input, claim().gradient);
    ProgramTrial trial(*conversation_, ++trials_, problem, shape, claim(),
                       reducer ? &contributions : nullptr);
    const bool warm = since_start_++ >= options_.warmup;
    const auto limit = warm ? limits.timeout : std::max(limits.timeout, options_.startup);
    conversation_->forget_log();
    Outcome outcome = trial.run(Conversation::Clock::now() + limit);
    if (!trial.in_step()) {
      conversation_->process().kill();
      conversation_ = nullptr;
    }
    return outcome;
  }

  /// \return why it could not be started
  std::optional<std::string> start_process() {
    try {
      conversation_ = std::make_unique<Conversation>(options_);
      since_start_ = 0;
      const Hello& hello = conversation_->hello(0);
      if (hello.kind == hello_.kind && hello.claim == hello_.claim && hello.world == hello_.world) {
        return std::nullopt;
      }
      conversation_ = nullptr;
      return "it says another hello than the first time";
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  ProgramOptions options_;
  std::unique_ptr<Conversation> conversation_;  ///< null: to be started for the next trial
  Hello hello_;
  std::uint64_t trials_ = 0;
  int since_start_ = 0;
  bool usable_ = true;
};

}  // namespace

std::unique_ptr<Subject> program_subject(ProgramOptions options) {
  const std::string name = name_of(options.command);
  try {
    auto conversation = std::make_unique<Conversation>(options);
    return std::make_unique<Program>(std::move(options), std::move(conversation));
  } catch (const StartError& error) {
    throw StartError(name + ": " + error.what());
  }
}

}  // namespace shardproof
