#pragma once

#include <memory>
#include <string>
#include <utility>

#include "shardproof/subject/subject.h"

namespace shardproof {

/// A subject whose inputs depend on its claim, and that can be put under another one.
class SubjectUnderClaim : public Subject {
 public:
  /// \throws InputError  when the claim is inconsistent
  SubjectUnderClaim(std::string name, Claim claim) : name_(std::move(name)) {
    set_claim(std::move(claim));
  }
  /// \throws InputError  when the claim is inconsistent
  void set_claim(Claim claim) {
    validate(claim);
    check(claim);
    claim_ = std::make_shared<const Claim>(std::move(claim));
  }

  /// What the subject itself can be judged under; not asked about its first claim.
  /// \throws InputError  saying why not
  virtual void check(const Claim& /*claim*/) const {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const Claim& claim() const override { return *claim_; }
  [[nodiscard]] const std::shared_ptr<const Claim>& shared_claim() const { return claim_; }

 private:
  std::string name_;
  std::shared_ptr<const Claim> claim_;
};

}  // namespace shardproof
