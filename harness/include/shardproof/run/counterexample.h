#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shardproof/run/run.h"

namespace shardproof {

/// A case with what is needed to run it again, as it stands in a file (docs/counterexample.md).
struct Counterexample {
  Case problem;  ///< with the contributions that the subject was handed, where it was
  std::string subject;
  std::string property;
  std::string claim;  ///< settings, as `settings(claim)` writes them
  std::uint64_t seed = 0;
  int case_index = 0;
  bool shrunk = false;
  std::string failure;  ///< the sentence
};

/// `problem` with the contributions that every rank computes from its rows, as a reducer of this
/// input form is handed them, in
/// the dtype `gradient` (nothing: the case's). \pre `problem` is valid
Case with_contributions(Case problem, InputForm form, std::optional<Dtype> gradient = std::nullopt);

/// One JSON document, ending in a newline.
std::string to_json(const Counterexample& counterexample);

/// \param place  prefix of messages: the file's name
/// \throws InputError  for anything but a complete, consistent document of this format and version
Counterexample parse_counterexample(std::string_view text, std::string_view place);

/// Reads / writes a file; a file appears complete under its name or not at all.
/// \throws InputError  when it cannot be read or written
Counterexample load_counterexample(const std::string& path);
void save_counterexample(const std::string& path, const Counterexample& counterexample);

}  // namespace shardproof
