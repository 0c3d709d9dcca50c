#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardproof/generators/cases.h"
#include "shardproof/judge/property.h"
#include "shardproof/run/cases_file.h"
#include "shardproof/run/run.h"
#include "shardproof/subject/recorded.h"

namespace shardproof {

struct RecordingOptions {
  std::uint64_t seed = 0;
  int cases = 200;  ///< drawn to be judged; small ones and those that belong to them come on top
  DrawOptions draw{};
};

/// All cases that are to be executed so that nothing has to be run again when they are judged: the
/// simplest first, each followed by what the properties ask for along with it; at the end those
/// that tell causes apart.
/// \throws InputError  when claim and options leave nothing to draw
std::vector<StoredCase> cases_to_record(const Claim& claim, SubjectKind kind,
                                        const RecordingOptions& options);

/// What a judgement of records came to.
struct JudgedRecords {
  RunResult result{};
  int left_out = 0;  ///< bases of which some result is missing
};

/// Judges every base whose results are all on record, until one fails: it is then the simplest on
/// record that does, and is not shrunk.
JudgedRecords judge_records(Recorded& subject, std::span<const StoredCase> cases,
                            std::span<const Property> properties);

}  // namespace shardproof
