#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardproof/case/claim.h"
#include "shardproof/subject/subject.h"

namespace shardproof {

/// A case in a file, and what it is there for.
struct StoredCase {
  enum class Purpose {
    base,            ///< judged by every property
    related,         ///< executed along with the base before it, for one of its properties
    discriminating,  ///< to tell causes apart
  };
  Purpose purpose = Purpose::base;
  std::string property{};  ///< of a related one
  SharedCase problem;      ///< without given contributions
  /// What a reducer was handed; null: what `local_contribution` computes.
  std::shared_ptr<const GivenContributions> handed_in{};
};

/// Cases that are executed elsewhere, as JSON lines in the messages of docs/protocol.md; the id of
/// a case is its place.
struct CasesFile {
  SubjectKind kind = SubjectKind::reducer;
  std::string claim;  ///< settings
  std::uint64_t seed = 0;
  std::vector<StoredCase> cases{};
  std::string digest{};  ///< of all lines of cases: by it results know which cases they are of
};

/// All lines. A reducer's contributions are among them.
/// \param file  its `digest` is left out of account
std::string to_json_lines(const CasesFile& file);

/// \param place  prefix of messages: the file's name
/// \throws InputError  for anything but a complete file of this version, naming the line
CasesFile parse_cases(std::string_view text, std::string_view place);

/// What was returned for each case, in their order; nothing where there is no result, or not of
/// every rank.
/// \throws InputError  naming the line: a line that is cut off or no result, a rank's result of a
///                     case that is there twice, a case that is unknown, results of other cases
std::vector<std::optional<Outcome>> parse_results(std::string_view text, std::string_view place,
                                                  const CasesFile& cases);

}  // namespace shardproof
