#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardproof/case/claim.h"

namespace shardproof {

/// World sizes as settings: `2..16`, `2+4+8`, `2..4+8`.
/// \return false where they are none; the claim is then as it was
bool read_worlds(Claim& claim, std::string_view text);
/// One range is written as `2..16`, also where it is of one size.
std::string write_worlds(const Claim& claim);

/// A field of sizes: how it is called, and its range when all are taken.
struct SizeField {
  std::string_view key;
  SizeRange Shapes::*range;
};

/// Rows, micro-batches, ...: all of them, in the order of the settings.
const std::vector<SizeField>& size_fields();

/// `any`, `A..B` or `A`. \return false where it is none of them within the limits of the field
bool read_range(Claim& claim, const SizeField& field, std::string_view text);
std::string write_range(const Claim& claim, const SizeField& field);
std::string allowed_ranges(const SizeField& field);

/// A whole number within limits that is all of `text`.
std::optional<int> whole_number(std::string_view text, int smallest, int largest);

}  // namespace shardproof
