#include <cstdio>
#include <string>

#include "column.h"
#include "exit_status.h"
#include "shardproof/case/claim.h"
#include "shardproof/case/claim_presets.h"
#include "shardproof/case/condition.h"
#include "shardproof/properties/registry.h"
#include "shardproof/subject/builtin.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

std::string subjects(bool right) {
  std::string out;
  for (const BuiltinSubject& subject : builtin_subjects()) {
    if (subject.right != right) continue;
    out += "  " + padded(subject.name, 24) +
           padded(subject.kind == SubjectKind::reducer ? "reducer" : "train step", 10) +
           subject.summary + '\n';
  }
  return out;
}

std::string properties(PropertyKind kind) {
  std::string out;
  for (const Property& property : all_properties()) {
    if (property.kind == kind) out += "  " + padded(property.name, 34) + property.statement + '\n';
  }
  return out;
}

std::string claims() {
  std::string out;
  for (const ClaimField& field : claim_fields()) {
    out += "  " + padded(field.key + '=' + field.usual, 40) + field.allowed + '\n';
  }
  return out;
}

std::string presets() {
  std::string out;
  for (const ClaimPreset& preset : claim_presets()) {
    const std::string indent(14, ' ');
    out += "  " + padded(preset.name, 10) + std::string(preset.summary) + '\n';
    out += indent + "is " + std::string(preset.settings) + '\n';
    out += indent + "source: " + std::string(preset.source) + '\n';
  }
  return out;
}

std::string_view meaning(Condition condition) {
  switch (condition) {
    case Condition::equal:
      return "every micro-batch of every shard has the same number of rows, none of them padding";
    case Condition::unequal:
      return "two micro-batches that are not empty differ in the number of their rows";
    case Condition::padded:
      return "some row is masked out";
    case Condition::empty:
      break;
  }
  return "at least one shard has no valid row";
}

}  // namespace

int list() {
  std::string out = "subjects that keep their claim\n" + subjects(true);
  out += "subjects that break it\n" + subjects(false);
  out += "  " + padded("fault:ID", 24) + padded("", 10) +
         "a fault of a real project; `shardproof list faults` shows them\n";
  out += "properties: laws\n" + properties(PropertyKind::law);
  out += "properties: views of the reference under a condition\n" + properties(PropertyKind::view);
  out += "conditions\n";
  for (const Condition each : kAllConditions) {
    out += "  " + padded(name(each), 8) + std::string(meaning(each)) + '\n';
  }
  out += "claim fields, at their defaults, and what they may be\n" + claims();
  out += "presets of a claim: --claim preset=NAME, or preset=NAME,KEY=VALUE,... to change it\n" +
         presets() + "dtypes\n";
  for (const Dtype each : all_dtypes()) out += "  " + std::string(name(each)) + '\n';
  std::fputs(out.c_str(), stdout);
  return kNothingRefuted;
}

}  // namespace shardproof::cli
