#include <algorithm>
#include <cmath>
#include <limits>

#include "run/report_parts.h"
#include "shardproof/exact/rational.h"

namespace shardproof {
namespace {

constexpr int kDigits = 2;

/// The classes of one dtype: of all world sizes.
std::vector<ClassPower> of_dtype(std::span<const ClassPower> power, Dtype dtype) {
  std::vector<ClassPower> found;
  std::ranges::copy_if(power, std::back_inserter(found),
                       [=](const ClassPower& of) { return of.dtype == dtype; });
  return found;
}

/// World sizes in which every case was too weak.
std::string worlds_too_weak(std::span<const ClassPower> classes) {
  std::string worlds;
  for (const ClassPower& of : classes) {
    if (of.weak < of.judged) continue;
    worlds += (worlds.empty() ? "" : ", ") + std::to_string(of.world);
  }
  return worlds;
}

std::string power_line(Dtype dtype, std::span<const ClassPower> classes) {
  std::int64_t judged = 0;
  std::int64_t weak = 0;
  double best = std::numeric_limits<double>::infinity();
  double worst = 0;
  for (const ClassPower& of : classes) {
    judged += of.judged;
    weak += of.weak;
    best = std::min(best, of.smallest_error);
    worst = std::max(worst, of.smallest_error);
  }
  std::string out = "power in " + std::string(name(dtype)) + ": ";
  if (std::isinf(best)) {
    out += "no error of scale was certain to show";
  } else {
    out += "a scale off by " + decimal_up(best, kDigits);
    if (worst != best) {
      out += " (best world size) to " + (std::isinf(worst) ? "any" : decimal_up(worst, kDigits)) +
             " (worst)";
    }
    out += " would have shown";
  }
  out += "; " + std::to_string(weak) + " of " + counted(judged, "case") +
         " too weak to see a denominator off by one";
  const std::string worlds = worlds_too_weak(classes);
  if (!worlds.empty()) out += ", among them all with these numbers of ranks: " + worlds;
  return out + '\n';
}

}  // namespace

std::string power_text(const RunResult& result) {
  std::string out;
  for (Dtype dtype : all_dtypes()) {
    const std::vector<ClassPower> classes = of_dtype(result.power, dtype);
    if (!classes.empty()) out += power_line(dtype, classes);
  }
  return out;
}

std::string not_covered_text(const RunResult& result) {
  std::string out;
  for (const ClassCount& count : not_covered(result)) {
    out += (out.empty() ? "" : ", ") + count.name + " (" + std::to_string(count.judged) + " of " +
           counted(count.drawn, "case") + " judged)";
  }
  return out;
}

}  // namespace shardproof
