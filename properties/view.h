#pragma once

#include <optional>
#include <string>

#include "shardproof/judge/property.h"

namespace shardproof {

/// A property that compares with the reference, for cases that `excluded` lets through.
inline Property reference_view(std::string name, std::string statement,
                               std::function<std::optional<std::string>(const Premise&)> excluded) {
  return {
      .name = std::move(name),
      .statement = std::move(statement),
      .kind = PropertyKind::view,
      .excluded = std::move(excluded),
      .related = {},
      .check = [](const Trial& base, std::span<const Trial>) { return base.gradient_verdict(); }};
}

/// The reason `text` unless `holds`.
inline std::optional<std::string> unless(bool holds, const char* text) {
  if (holds) return std::nullopt;
  return text;
}

}  // namespace shardproof
