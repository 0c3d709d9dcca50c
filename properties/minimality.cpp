#include "shardproof/properties/minimality.h"

#include "shardproof/properties/registry.h"
#include "shardproof/properties/suite.h"
#include "shardproof/run/report.h"
#include "shardproof/subject/builtin.h"

namespace shardproof {

std::vector<MinimalityQuestion> minimality_questions() {
  std::vector<MinimalityQuestion> questions;
  for (const char* subject :
       {"psum", "mean-of-means", "padded-denominator", "bias-forgotten", "leaves-swapped",
        "last-micro-batch", "rank0-only", "local-count", "ranks-as-count", "summed-loss",
        "update-before-reduce", "unmasked-numerator", "update-twice", "leaf-not-updated"}) {
    questions.push_back({subject, {}});
  }
  // Before two steps come all cases of one, and of three ranks there are several millions with two
  // micro-batches.
  questions.push_back({"stale-step", {.micro_batches = 1}});
  questions.push_back({"rank-dropped", {.steps = 1, .micro_batches = 1}});
  return questions;
}

MinimalityAnswer answer(const MinimalityQuestion& question, std::uint64_t seed,
                        const std::function<bool()>& stop) {
  const std::unique_ptr<Subject> subject = make_builtin(question.subject);
  CheckOptions options{.seed = seed, .draw = {.dtypes = {Dtype::f32}}};
  options.run.stop = stop;
  MinimalityAnswer found{.subject = question.subject};
  found.finding = check(*subject, std::move(options)).finding;
  if (!found.finding) return found;
  const Property property = matching_properties(found.finding->property).front();
  found.proof = prove_minimal(*subject, property, found.finding->minimal,
                              {.domain = question.domain, .stop = stop});
  return found;
}

bool minimal(const MinimalityAnswer& answer) {
  return answer.finding && answer.finding->fully_shrunk && answer.proof.complete &&
         !answer.proof.simpler;
}

std::string text_report(const MinimalityAnswer& answer) {
  if (!answer.finding) return "NOT FOUND  " + answer.subject + '\n';
  const Finding& finding = *answer.finding;
  const std::string what = answer.subject + "  " + finding.property + "  " +
                           std::to_string(answer.proof.cases) + " simpler cases executed, " +
                           std::to_string(finding.executions_to_shrink) + " to shrink\n";
  if (minimal(answer)) return "MINIMAL      " + what;
  if (!answer.proof.simpler) return "INCOMPLETE   " + what;
  return "NOT MINIMAL  " + what + describe(*finding.minimal.problem, SubjectKind::train_step) +
         "is not as simple as\n" +
         describe(*answer.proof.simpler->problem, SubjectKind::train_step);
}

}  // namespace shardproof
