#include "shardproof/subject/program.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>

#include "harness/subject/cases.h"
#include "harness/subject/hand_case.h"
#include "harness/subject/program/scripts.h"

namespace shardproof {
namespace {

using namespace std::chrono_literals;
using test::python;
using test::script;
using test::two_ranks;

constexpr Limits kPatient{.timeout = 60s};

std::unique_ptr<Subject> answering(const std::string& on_case) {
  return program_subject(python(script(on_case)));
}

std::string misbehaviour(const Outcome& outcome) {
  const auto* misbehaved = std::get_if<Misbehaved>(&outcome);
  return misbehaved == nullptr ? "outcome " + std::to_string(outcome.index()) : misbehaved->what;
}

std::string misbehaviour(const std::string& on_case) {
  return misbehaviour(answering(on_case)->run(two_ranks(), kPatient));
}

void expect_sum(Subject& subject) {
  const auto results = results_of(subject, two_ranks());
  ASSERT_EQ(results.size(), 2U);
  for (const RankResult& rank : results[0]) EXPECT_EQ(gradient_of(rank), std::vector{10.0});
  for (const RankResult& rank : results[1]) EXPECT_EQ(gradient_of(rank), std::vector{50.0});
}

TEST(Program, EveryStepOfEveryRankIsAnswered) {
  const auto subject = answering("answer(m)");
  EXPECT_EQ(subject->kind(), SubjectKind::reducer);
  expect_sum(*subject);
  expect_sum(*subject);
}

TEST(Program, TheContributionsAreThoseThatWereSent) {
  const auto subject = answering("answer(m)");
  const Outcome outcome = subject->run(two_ranks(), kPatient);
  const auto& contributions = std::get<Returned>(outcome).contributions;
  ASSERT_EQ(contributions.size(), 2U);
  EXPECT_EQ(contributions[1][1][0].gradient.values()[0], 32);
  EXPECT_EQ(contributions[1][1][0].valid.value, 1);
}

TEST(Program, ValuesComeBackToTheSameBits) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> values{0.1, -0.0, tiny, 1.7976931348623157e308, 5e-324, 1.0 / 3};
  const auto echo = answering(
      "answer(m, steps=[{'ranks': [{'gradient': r['micro_batches'][0]['gradient']}"
      " for r in s['ranks']]} for s in m['steps']])");
  const auto problem = one_leaf({{{{.gradient = values}}, {{.gradient = values}}}}, Dtype::f64);
  for (const RankResult& rank : ranks_of(*echo, problem)) {
    const auto found = gradient_of(rank);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found[i]), std::bit_cast<std::uint64_t>(values[i]));
    }
  }
}

TEST(Program, NumbersThatAreNoneMayBeBareOrStrings) {
  const auto subject = answering(
      "sys.stdout.write('{\"type\":\"result\",\"id\":%d,\"steps\":[{\"ranks\":["
      "{\"gradient\":[[NaN]]},{\"gradient\":[[\"-Infinity\"]]}]},{\"ranks\":["
      "{\"gradient\":[[Infinity]]},{\"gradient\":[[-Infinity]]}]}]}\\n' % m['id']); "
      "sys.stdout.flush()");
  const auto results = results_of(*subject, two_ranks());
  EXPECT_TRUE(std::isnan(gradient_of(results[0][0])[0]));
  EXPECT_EQ(gradient_of(results[0][1])[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(gradient_of(results[1][0])[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(gradient_of(results[1][1])[0], -std::numeric_limits<double>::infinity());
}

TEST(Program, LeavesMayBeNamedAndNested) {
  const auto subject = answering(
      "answer(m, steps=[{'ranks': [{'gradient': {'bias': [5, 6], 'kernel': [[1, 2], [3, 4]]}}"
      " for r in m['ranks']]}])");
  const auto problem =
      hand_case(2, {{.outputs = 2, .bias = true}}, {{{{.gradient = {0, 0, 0, 0, 0, 0}}}}});
  EXPECT_EQ(gradient_of(ranks_of(*subject, problem)[0]), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Program, ReturnsPiecesWhereItClaimsThem) {
  const std::string claim = "kind='reducer', claim='result=pieces'";
  const auto problem = hand_case(1, {{.outputs = 3, .bias = false}},
                                 {{{{.gradient = {0, 0, 0}}}, {{.gradient = {0, 0, 0}}}}});
  const auto even = program_subject(python(
      script("answer(m, steps=[{'ranks': [{'piece': [1, 2]}, {'piece': [3, 99]}]}])", claim)));
  const auto ranks = ranks_of(*even, problem);
  EXPECT_EQ(gradient_of(ranks[0]), (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(ranks[0].piece, (Piece{0, 2}));
  EXPECT_EQ(gradient_of(ranks[1]), (std::vector<double>{0, 0, 3}));
  EXPECT_EQ(ranks[1].piece, (Piece{2, 2}));
  const auto said = program_subject(python(script(
      "answer(m, steps=[{'ranks': [{'piece': [1], 'offset': 2}, {'piece': [2, 3], 'offset': 0}]}])",
      claim)));
  EXPECT_EQ(gradient_of(ranks_of(*said, problem)[0]), (std::vector<double>{0, 0, 1}));
  EXPECT_TRUE(misbehaviour("answer(m, steps=[{'ranks': [{'piece': [1]}] * 2}] * 2)")
                  .starts_with("its answer: steps[0].ranks[0].piece: no pieces are claimed"));
}

TEST(Program, OneResultForAllRanksIsEveryRanks) {
  const auto subject = program_subject(
      python(script("say(type='result', id=m['id'], steps=[s['ranks'][0] for s in summed(m)])",
                    "kind='all_at_once'")));
  expect_sum(*subject);
}

TEST(Program, ATrainStepGetsRowsAndParametersOnce) {
  const auto subject = program_subject(python(
      script("b = m['steps'][1]['ranks'][1]['micro_batches'][0]; "
             "r = {'gradient': m['parameters'], 'loss': m['learning_rate'], 'parameters': b['x'],"
             " 'count': b['mask'][0], 'norm': b['y'][0][0]}; "
             "say(type='result', id=m['id'], steps=[{'ranks': [r, r]}] * 2)",
             "kind='train_step'")));
  EXPECT_EQ(subject->kind(), SubjectKind::train_step);
  const Outcome outcome = subject->run(two_ranks(), kPatient);
  const auto& returned = std::get<Returned>(outcome);
  EXPECT_TRUE(returned.contributions.empty());
  const RankResult& result = returned.results[0][1];
  EXPECT_EQ(gradient_of(result), std::vector{1.0});
  EXPECT_EQ(result.loss, 0.5);
  EXPECT_EQ(result.count, 1);
  EXPECT_EQ(result.norm, 0);
  EXPECT_EQ(result.parameters->values()[0], 4);
}

TEST(Program, SaysThatItDeclinesOrFailed) {
  const Outcome declined =
      answering("say(type='declined', id=m['id'], rank=1, step=1, message='odd')")
          ->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Declined>(declined));
  EXPECT_EQ(std::get<Declined>(declined).rank, Rank{1});
  EXPECT_EQ(std::get<Declined>(declined).step, 1);
  EXPECT_EQ(std::get<Declined>(declined).message, "odd");
  const Outcome failed =
      answering("say(type='error', id=m['id'], message='bug')")->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Threw>(failed));
  EXPECT_EQ(std::get<Threw>(failed).message, "bug");
}

TEST(Program, ClaimsWhatItsHelloSays) {
  const auto text =
      program_subject(python(script("answer(m)", "kind='reducer', claim='target=sum,world=2..4'")));
  EXPECT_EQ(text->claim().target, Target::sum);
  EXPECT_EQ(text->claim().max_world, 4);
  ProgramOptions options = python(script(
      "answer(m)", "kind='reducer', claim={'world': 3, 'equal-bits': False, 'preset': 'gloo'}"));
  options.claim = "target=sum";
  const auto object = program_subject(options);
  EXPECT_EQ(object->claim().min_world, 3);
  EXPECT_FALSE(object->claim().equal_bits);
  EXPECT_EQ(object->claim().roundings, 3);
  EXPECT_EQ(object->claim().target, Target::sum);
}

struct Wrong {
  const char* on_case;
  const char* begins;
};

TEST(Program, WhatIsNoAnswerIsQuoted) {
  const Wrong wrongs[] = {
      {"print('hello there', flush=True)",
       "its answer: an object is due, found \"h\" at byte 1; it "
       "begins with \"hello there\""},
      {"answer(m, steps=summed(m)[:1])", "its answer: steps: has 1 steps instead of 2; it begins"},
      {"answer(m, steps=summed(m) * 2)", "its answer: steps[2]: there are only 2 steps"},
      {"answer(m, steps=[{'ranks': s['ranks'][:1]} for s in summed(m)])",
       "its answer: steps[0].ranks: has 1 results instead of 2"},
      {"answer(m, steps=[{'ranks': s['ranks'] * 2} for s in summed(m)])",
       "its answer: steps[0].ranks[2]: only 2 ranks were asked"},
      {"answer(m, steps=[{'ranks': [{'gradient': [[1, 2]]}] * 2}])",
       "its answer: steps[0].ranks[0].gradient[0][1]: has more than 1 numbers"},
      {"answer(m, steps=[{'ranks': [{'gradient': [[1], [2]]}] * 2}])",
       "its answer: steps[0].ranks[0].gradient: more than 1 elements"},
      {"answer(m, steps=[{'ranks': [{'gradient': [[]]}] * 2}])",
       "its answer: steps[0].ranks[0].gradient[0]: has 0 numbers instead of 1"},
      {"answer(m, steps=[{'ranks': [{'gradient': [[0.1]]}] * 2}])",
       "its answer: steps[0].ranks[0].gradient[0][0]: 0.1 is no value of f32, whose nearest is "
       "0.10000000149011612; "},
      {"answer(m, steps=[{'ranks': [{'loss': 1}] * 2}])",
       "its answer: steps[0].ranks[0]: key \"gradient\" is missing"},
      {"answer(m, gradients=1)", "its answer: unknown key \"gradients\"; known: "},
      {"answer(m | {'id': m['id'] + 7})", "its answer: id: case 1 was asked, this answers case 8;"},
      {"say(type='results', id=1)", "its answer: type \"results\" is none; known: "},
      {"say(type='declined', id=1)", "its answer: key \"message\" is missing"},
      {"sys.stdout.write('{\"type\":\"result\",\"id\":1,\"st'); sys.exit()",
       "ended in the middle of its answer, which begins with \"{\\\"type\\\":"},
      {"say = lambda **k: sys.stdout.write(json.dumps(k) + "
       "'\\nmore') and sys.stdout.flush(); answer(m)",
       "went on after its answer with \"more\""},
  };
  for (const Wrong& wrong : wrongs) {
    EXPECT_TRUE(misbehaviour(wrong.on_case).starts_with(wrong.begins))
        << wrong.on_case << "\n  " << misbehaviour(wrong.on_case);
  }
}

TEST(Program, ALineWithoutEndIsNotReadForGood) {
  const std::string what =
      misbehaviour("\n        while True: sys.stdout.write('x' * (1 << 20)); sys.stdout.flush()");
  EXPECT_TRUE(what.starts_with("sent more than ") &&
              what.find(" bytes without the end of a line, beginning with \"xxxx") != what.npos)
      << what;
}

TEST(Program, AnAnswerThatComesTwiceIsSeenAtTheLatestInTheNextCase) {
  const auto subject = answering("answer(m); time.sleep(0.2); answer(m)");
  const Outcome first = subject->run(two_ranks(), kPatient);
  const Outcome second = subject->run(two_ranks(), kPatient);
  const bool at_once = std::holds_alternative<Misbehaved>(first);
  EXPECT_TRUE(at_once || misbehaviour(second).starts_with(
                             "its answer: id: case 2 was asked, this answers case 1 again"))
      << misbehaviour(second);
}

TEST(Program, AfterRubbishItIsStartedAnew) {
  const auto subject = program_subject(
      python(script("print('rubbish', flush=True) if m['id'] == 1 else answer(m)")));
  EXPECT_TRUE(std::holds_alternative<Misbehaved>(subject->run(two_ranks(), kPatient)));
  EXPECT_TRUE(subject->usable());
  expect_sum(*subject);
}

TEST(Program, ItsEndIsADeath) {
  const auto died = [](const std::string& on_case) {
    const Outcome outcome = answering(on_case)->run(two_ranks(), kPatient);
    const auto* found = std::get_if<Died>(&outcome);
    return found == nullptr ? Died{.what = misbehaviour(outcome)} : *found;
  };
  const Died exited = died("print('why', file=sys.stderr); sys.exit(3)");
  EXPECT_EQ(exited.what, "exited with status 3 before it had answered");
  EXPECT_EQ(exited.signal, 0);
  EXPECT_EQ(exited.log, "why\n");
  EXPECT_EQ(died("os._exit(0)").what, "exited with status 0 before it had answered");
  const Died killed = died("os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(killed.what, "was killed by SIGSEGV before it had answered");
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(died("os.close(1); time.sleep(1000)").what,
            "closed its side of the conversation before it had answered");
}

TEST(Program, TakesNoMoreMemoryThanItMay) {
  ProgramOptions options = python(script("x = b'x' * (1 << 30); time.sleep(1000)"));
  options.launcher.memory = 256;
  const Outcome outcome = program_subject(options)->run(two_ranks(), kPatient);
  ASSERT_TRUE(std::holds_alternative<Died>(outcome)) << misbehaviour(outcome);
  EXPECT_EQ(std::get<Died>(outcome).what,
            "took more than 256 MiB of memory before it had answered");
}

TEST(Program, WithoutAnAnswerInTimeItIsKilledAndStartedAnew) {
  const auto subject =
      program_subject(python(script("time.sleep(1000) if m['id'] == 1 else answer(m)")));
  const Outcome outcome = subject->run(two_ranks(), {.timeout = 100ms});
  ASSERT_TRUE(std::holds_alternative<TimedOut>(outcome));
  EXPECT_EQ(std::get<TimedOut>(outcome).stuck, (std::vector{Rank{0}, Rank{1}}));
  EXPECT_TRUE(std::get<TimedOut>(outcome).killed);
  EXPECT_TRUE(subject->usable());
  expect_sum(*subject);
}

TEST(Program, TheFirstTrialsMayTakeAsLongAsTheStart) {
  ProgramOptions options = python(script("time.sleep(0.3 if m['id'] <= 2 else 1000); answer(m)"));
  options.warmup = 2;
  const auto subject = program_subject(options);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::holds_alternative<Returned>(subject->run(two_ranks(), {.timeout = 1ns})));
  }
  EXPECT_TRUE(std::holds_alternative<TimedOut>(subject->run(two_ranks(), {.timeout = 1ns})));
}

TEST(Program, RestartsOnDemand) {
  const auto subject = program_subject(python(script(
      "n += 1; answer(m) if n == 1 else print('x', flush=True)", "kind='reducer'", "n = 0")));
  for (int i = 0; i < 2; ++i) {
    expect_sum(*subject);
    EXPECT_TRUE(subject->restart());
  }
}

}  // namespace
}  // namespace shardproof
