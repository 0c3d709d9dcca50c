#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/sentence.h"
#include "run/report_parts.h"

namespace shardproof {
namespace {

constexpr int kMostLines = 40;
constexpr std::size_t kMostRows = 12;     // of a line
constexpr std::size_t kMostNumbers = 16;  // of a row or an array

// The shortest decimal that reads back in the case's own dtype.
std::string number(Dtype dtype, double value) {
  return std::isnan(value) ? "NaN" : shortest(dtype, value);
}

std::string left_out(std::size_t count) { return "... " + std::to_string(count) + " more"; }

std::string numbers(Dtype dtype, std::span<const double> values) {
  std::string out = "[";
  for (std::size_t i = 0; i < std::min(values.size(), kMostNumbers); ++i) {
    if (i != 0) out += ' ';
    out += number(dtype, values[i]);
  }
  if (values.size() > kMostNumbers) out += ' ' + left_out(values.size() - kMostNumbers);
  return out += ']';
}

// `[1 2] ~[0 5]`: padded rows are marked.
std::string rows(Dtype dtype, const MicroBatch& batch, std::span<const double> values) {
  std::string out;
  const std::size_t count = batch.mask.size();
  const std::size_t width = values.size() / count;
  for (std::size_t i = 0; i < std::min(count, kMostRows); ++i) {
    if (i != 0) out += ' ';
    if (batch.mask[i] == 0) out += '~';
    out += numbers(dtype, values.subspan(i * width, width));
  }
  if (count > kMostRows) out += ' ' + left_out(count - kMostRows);
  return out;
}

std::string batch_line(Dtype dtype, const MicroBatch& batch) {
  std::string out = "no rows";
  if (batch.rows() > 0) {
    out = counted(batch.rows(), "row");
    const std::int64_t padded = batch.rows() - batch.valid().value;
    if (padded > 0) out += " (" + std::to_string(padded) + " padded)";
    out += "  x " + rows(dtype, batch, batch.x) + "  y " + rows(dtype, batch, batch.y);
  }
  for (std::size_t layer = 0; layer < batch.absent.size(); ++layer) {
    if (batch.absent[layer] != 0) out += "  without layer " + std::to_string(layer);
  }
  return out;
}

std::string parameters_line(const Case& problem, SubjectKind kind) {
  std::string out = "parameters";
  const SharedShape shape = tree_shape(problem.model);
  const std::span<const double> values = problem.model.parameters;
  for (const LeafShape& leaf : shape->leaves) {
    out += "  " + leaf.name + ' ';
    if (leaf.is_bias || leaf.rows == 1 || leaf.columns == 1) {
      out += numbers(problem.dtype, values.subspan(leaf.offset, leaf.size()));
      continue;
    }
    const auto columns = static_cast<std::size_t>(leaf.columns);
    const auto count = std::min(static_cast<std::size_t>(leaf.rows), kMostRows);
    out += '[';
    for (std::size_t r = 0; r < count; ++r) {
      out += numbers(problem.dtype, values.subspan(leaf.offset + r * columns, columns));
    }
    const auto more = static_cast<std::size_t>(leaf.rows) - count;
    out += more == 0 ? "]" : ' ' + left_out(more) + ']';
  }
  if (kind == SubjectKind::train_step) {
    out += "  learning rate " + number(problem.dtype, problem.learning_rate);
  }
  return out + '\n';
}

std::string arrival_line(const Case& problem) {
  if (problem.arrival.empty()) return "";
  std::string out = "ranks arrive in the order";
  for (const int rank : problem.arrival) out += ' ' + std::to_string(rank);
  return out + '\n';
}

/// Ranks, one after another, whose micro-batches are the same.
struct AlikeRanks {
  std::size_t first;
  std::size_t last;
  std::vector<std::string> micro_batches;  // a line each, without the rank

  [[nodiscard]] std::string name() const {
    if (first == last) return "rank " + std::to_string(first);
    return "ranks " + std::to_string(first) + (first + 1 == last ? " and " : " to ") +
           std::to_string(last);
  }
};

std::vector<std::string> micro_batch_lines(Dtype dtype, const Shard& shard) {
  std::vector<std::string> lines;
  for (const MicroBatch& batch : shard.micro_batches) {
    const bool several = shard.micro_batches.size() > 1;
    const std::string which =
        several ? "micro-batch " + std::to_string(lines.size()) + "  " : std::string{};
    lines.push_back(which + batch_line(dtype, batch));
  }
  return lines;
}

std::vector<AlikeRanks> alike_ranks(Dtype dtype, const Step& step) {
  std::vector<AlikeRanks> groups;
  for (std::size_t r = 0; r < step.shards.size(); ++r) {
    std::vector<std::string> lines = micro_batch_lines(dtype, step.shards[r]);
    if (!groups.empty() && groups.back().micro_batches == lines) {
      groups.back().last = r;
    } else {
      groups.push_back({r, r, std::move(lines)});
    }
  }
  return groups;
}

}  // namespace

std::string describe(const Case& problem, SubjectKind kind) {
  std::string out = parameters_line(problem, kind) + arrival_line(problem);
  int lines = 0;
  std::size_t cut = 0;
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    const std::string step = problem.steps.size() > 1 ? "step " + std::to_string(s) + "  " : "";
    for (const AlikeRanks& ranks : alike_ranks(problem.dtype, problem.steps[s])) {
      for (const std::string& line : ranks.micro_batches) {
        if (lines++ < kMostLines) {
          out += step + ranks.name() + "  " + line + '\n';
        } else {
          cut += ranks.last - ranks.first + 1;
        }
      }
    }
  }
  if (cut > 0) out += left_out(cut) + " micro-batches\n";
  return out;
}

}  // namespace shardproof
