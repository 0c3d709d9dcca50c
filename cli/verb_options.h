#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options.h"

namespace shardproof::cli {

/// The options of one verb, as they are declared.
class VerbOptions {
 public:
  virtual ~VerbOptions() = default;
  /// An option whose value `read` takes: values are read by us and not by a library, so that a
  /// refusal is one plain line.
  virtual void text(const std::string& option, const std::string& what, const std::string& value,
                    std::function<void(const std::string&)> read) = 0;
  /// An option that is a path. An empty one, as of a variable that is not set, must not mean that
  /// nothing is written, and is refused.
  virtual void path(const std::string& option, const std::string& what, const std::string& value,
                    std::string& to) = 0;
  virtual void flag(const std::string& option, bool& to, const std::string& what) = 0;
  /// What stands without an option, in the order of declaration.
  virtual void argument(const std::string& name, std::string& to, const std::string& what) = 0;
  virtual void argument(const std::string& name, std::vector<std::string>& to,
                        const std::string& what) = 0;
};

/// Verbs, as they are declared.
class Verbs {
 public:
  virtual ~Verbs() = default;
  /// The options live as long as this.
  virtual VerbOptions& add(const std::string& name, const std::string& what) = 0;
};

/// Each adds one verb with its options, which are read into the request.
void add_check(Verbs& verbs, CheckRequest& to);
void add_replay(Verbs& verbs, ReplayRequest& to);
void add_claim(Verbs& verbs, ClaimRequest& to);
void add_generate(Verbs& verbs, GenerateRequest& to);
void add_judge(Verbs& verbs, JudgeRequest& to);
void add_bound(Verbs& verbs, BoundRequest& to);
void add_soak(Verbs& verbs, SoakRequest& to);
void add_mutate(Verbs& verbs, MutateRequest& to);

}  // namespace shardproof::cli
