#include "shardproof/subject/builtin.h"

#include <algorithm>
#include <functional>

#include "shardproof/case/error.h"
#include "shardproof/subject/fault_catalogue.h"
#include "shardproof/subject/per_rank.h"
#include "shardproof/subject/sgd.h"
#include "shardproof/subject/sharded.h"
#include "shardproof/subject/strategy.h"
#include "shardproof/subject/wrong_subjects.h"

namespace shardproof {
namespace {

struct Entry {
  BuiltinSubject info;
  std::function<std::unique_ptr<Subject>()> make;
};

std::unique_ptr<Subject> by_strategy(std::string name, const Strategy& strategy) {
  return per_rank(std::move(name), claim_of(strategy), reducers_of(strategy));
}

/// A right reducer whose name a strategy's parts may follow.
Entry topology(Topology topology, std::string summary) {
  Strategy strategy;
  strategy.topology = topology;
  std::string text(name(topology));
  return {{text, std::move(summary)}, [text, strategy] { return by_strategy(text, strategy); }};
}

Entry strategy(std::string name, std::string summary, const Strategy& strategy,
               Target target = Target::weighted_mean) {
  return {{name, std::move(summary)}, [name, strategy, target] {
            Claim claim = claim_of(strategy);
            claim.target = target;
            if (target != Target::weighted_mean) claim.conditions = ConditionSet::all();
            return per_rank(name, claim, reducers_of(strategy));
          }};
}

void add_right_reducers(std::vector<Entry>& all) {
  all.push_back(topology(Topology::sequential, "adds up in rank order, weighted by valid count"));
  all.push_back(topology(Topology::tree, "adds up pairwise"));
  all.push_back(topology(Topology::ring, "reduce-scatter and all-gather around a ring"));
  all.push_back(
      topology(Topology::halving_doubling, "recursive halving and doubling, for any world size"));
  all.push_back(topology(Topology::hierarchical, "groups of 2 ranks, then their leaders"));
  all.push_back(topology(Topology::own_rank_first,
                         "each rank starts with its own term; bits may differ between ranks"));
  Strategy running;
  running.micro_batches = Accumulation::running_mean;
  all.push_back(strategy("running-mean", "a running mean over micro-batches", running));
  all.push_back({{"kahan", "a compensated sum"},
                 [] { return per_rank("kahan", kahan_claim(), kahan_reducers()); }});
  Strategy means;
  means.scaling = Scaling::mean_of_means;
  all.push_back(strategy("pmean", "the mean of the ranks' means; claims equal shards only", means));
  all.push_back(strategy("mean-over-ranks", "the same, where that is the target", means,
                         Target::mean_over_ranks));
  Strategy sum;
  sum.scaling = Scaling::none;
  all.push_back(
      strategy("sum", "the sum of what ranks hand in, where that is the target", sum, Target::sum));
  all.push_back({{"reduce-scatter", "each rank returns its piece of the mean"},
                 [] { return per_rank("reduce-scatter", scatter_claim(), scatter_reducers()); }});
}

std::unique_ptr<Subject> sgd(std::string name, const Strategy& strategy) {
  return per_rank(std::move(name), sgd_claim(strategy), sgd_of(strategy));
}

std::vector<Entry> make_entries() {
  std::vector<Entry> all;
  add_right_reducers(all);
  all.push_back({{"sgd", "one SGD step on a sequential reducer", SubjectKind::train_step},
                 [] { return sgd("sgd", Strategy{}); }});
  all.push_back({{"zero-step", "SGD on pieces, as ZeRO stage 1: parameters are gathered",
                  SubjectKind::train_step},
                 [] { return per_rank("zero-step", zero_claim(), zero_steps()); }});
  for (WrongReducer& wrong : wrong_reducers()) {
    all.push_back({{wrong.name, wrong.summary, SubjectKind::reducer, false},
                   [wrong] { return per_rank(wrong.name, wrong.claim, wrong.reducers); }});
  }
  for (WrongTrainStep& wrong : wrong_train_steps()) {
    all.push_back({{wrong.name, wrong.summary, SubjectKind::train_step, false},
                   [wrong] { return per_rank(wrong.name, wrong.claim, wrong.steps); }});
  }
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

bool is_topology(std::string_view text) {
  return std::ranges::any_of(named_topologies(), [&](Topology t) { return name(t) == text; });
}

[[noreturn]] void refuse(std::string_view text) {
  std::string names;
  for (const Entry& entry : entries()) {
    names.append(names.empty() ? "" : ", ").append(entry.info.name);
  }
  throw InputError("subject " + std::string(text), "unknown; known: " + names + ", fault:ID");
}

/// The STRATEGY of `sgd:STRATEGY`, which has no other prefix.
Strategy strategy_of_sgd(std::string_view text) {
  if (is_topology(text.substr(0, text.find(':')))) return parse_strategy(text);
  std::string known;
  for (const Topology topology : named_topologies()) {
    known.append(known.empty() ? "" : ", ").append(name(topology));
  }
  throw InputError("subject sgd:" + std::string(text),
                   "sgd takes a topology, not '" + std::string(text) + "'; known: " + known);
}

}  // namespace

std::span<const BuiltinSubject> builtin_subjects() {
  static const std::vector<BuiltinSubject> infos = [] {
    std::vector<BuiltinSubject> found;
    for (const Entry& entry : entries()) found.push_back(entry.info);
    return found;
  }();
  return infos;
}

std::unique_ptr<Subject> make_builtin(std::string_view text) {
  const auto& all = entries();
  const auto found =
      std::ranges::find(all, text, [](const Entry& e) -> std::string_view { return e.info.name; });
  if (found != all.end()) return found->make();
  const std::size_t colon = text.find(':');
  const std::string_view head = text.substr(0, colon);
  if (colon == std::string_view::npos) refuse(text);
  if (head == "fault") return make_faulty(text.substr(colon + 1));
  if (head == "sgd") return sgd(std::string(text), strategy_of_sgd(text.substr(colon + 1)));
  if (is_topology(head)) return by_strategy(std::string(text), parse_strategy(text));
  if (std::ranges::any_of(all, [&](const Entry& e) { return e.info.name == head; })) {
    throw InputError("subject " + std::string(text),
                     std::string(head) + " takes no ':" + std::string(text.substr(colon + 1)) +
                         "'; topologies and sgd do");
  }
  refuse(text);
}

}  // namespace shardproof
