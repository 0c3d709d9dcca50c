#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "shardproof/case/case.h"
#include "shardproof/case/claim.h"
#include "shardproof/subject/outcome.h"

namespace shardproof {

struct Limits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  ///< for one trial
};

/// What a subject is given: contributions to reduce, or rows and parameters to take a step with.
enum class SubjectKind { reducer, train_step };

/// What is under test. It lives for a whole run and is used by one thread at a time.
class Subject {
 public:
  virtual ~Subject() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual SubjectKind kind() const = 0;
  [[nodiscard]] virtual const Claim& claim() const = 0;

  /// Executes one whole trial. Never throws for what the subject does.
  /// \pre `problem` is valid and inside the claim; usable()
  virtual Outcome run(const SharedCase& problem, const Limits& limits) = 0;

  /// Starts what runs outside of this process, so that a failure to is known before the first case.
  /// \throws StartError
  virtual void start() {}

  /// Begins anew, as if it had never been used. \return false where that cannot be done
  virtual bool restart() { return false; }

  /// False once a rank had to be abandoned: nothing more may be run in this process.
  [[nodiscard]] virtual bool usable() const { return true; }
};

/// The same subject under another claim.
/// \throws InputError  when the claim is inconsistent
std::unique_ptr<Subject> with_claim(std::unique_ptr<Subject> subject, Claim claim);

}  // namespace shardproof
