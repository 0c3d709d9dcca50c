#include "shardproof/subject/subject.h"

#include "subject/subject_under_claim.h"

namespace shardproof {
namespace {

/// A subject from elsewhere, whose inputs do not depend on what it claims.
class Reclaimed final : public SubjectUnderClaim {
 public:
  Reclaimed(std::unique_ptr<Subject> subject, Claim claim)
      : SubjectUnderClaim(subject->name(), std::move(claim)), subject_(std::move(subject)) {}

  [[nodiscard]] SubjectKind kind() const override { return subject_->kind(); }
  Outcome run(const SharedCase& problem, const Limits& limits) override {
    return subject_->run(problem, limits);
  }
  [[nodiscard]] bool usable() const override { return subject_->usable(); }

 private:
  std::unique_ptr<Subject> subject_;
};

}  // namespace

std::unique_ptr<Subject> with_claim(std::unique_ptr<Subject> subject, Claim claim) {
  if (auto* const own = dynamic_cast<SubjectUnderClaim*>(subject.get())) {
    own->set_claim(std::move(claim));
    return subject;
  }
  return std::make_unique<Reclaimed>(std::move(subject), std::move(claim));
}

}  // namespace shardproof
