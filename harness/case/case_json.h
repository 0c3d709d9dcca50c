#pragma once

#include <string>

#include "case/json_reader.h"
#include "shardproof/case/case.h"

namespace shardproof {

/// A case as a JSON object: one line a micro-batch, later lines indented by `indent` spaces.
std::string case_json(const Case& problem, int indent);

/// Reads what `case_json` writes. Sizes are held to the limits of a case while reading; the rest is
/// `validate`'s, which the caller calls.
Case read_case(JsonReader& reader);

}  // namespace shardproof
