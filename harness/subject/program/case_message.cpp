#include "subject/program/case_message.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "case/json_text.h"

namespace shardproof {
namespace {

/// Appends to one line.
class Writer {
 public:
  void raw(std::string_view text) { out_.append(text); }
  void key(std::string_view name) {
    comma();
    out_ += '"';
    out_.append(name).append("\":");
    first_ = true;
  }
  void open(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void number(double value) {
    comma();
    // Without a string of its own: most of a message are such numbers.
    if (!std::isfinite(value) || value == 0) {
      out_ += json_number(value);
      return;
    }
    char digits[32];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void integer(std::int64_t value) {
    comma();
    out_ += std::to_string(value);
  }
  void text(std::string_view value) {
    comma();
    out_ += json_string(value);
  }
  void numbers(std::span<const double> values) {
    open('[');
    for (const double value : values) number(value);
    close(']');
  }
  [[nodiscard]] std::string line() && { return std::move(out_) + '\n'; }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string out_;
  bool first_ = true;  // nothing stands before, in this array or object or after this key
};

void write_leaves(Writer& out, const TreeShape& shape) {
  out.key("leaves");
  out.open('[');
  for (const LeafShape& leaf : shape.leaves) {
    out.open('{');
    out.key("name");
    out.text(leaf.name);
    out.key("shape");
    out.open('[');
    if (!leaf.is_bias) out.integer(leaf.rows);
    out.integer(leaf.columns);
    out.close(']');
    out.key("layer");
    out.integer(leaf.layer);
    out.close('}');
  }
  out.close(']');
}

void write_tree(Writer& out, const TreeShape& shape, std::span<const double> values) {
  out.open('[');
  for (const LeafShape& leaf : shape.leaves) {
    out.numbers(values.subspan(leaf.offset, leaf.size()));
  }
  out.close(']');
}

void write_flags(Writer& out, std::span<const std::uint8_t> flags, std::size_t count) {
  out.open('[');
  for (std::size_t i = 0; i < count; ++i) out.integer(flags.empty() ? 0 : flags[i]);
  out.close(']');
}

void write_rows(Writer& out, std::span<const double> values, int count) {
  const std::size_t width = count == 0 ? 0 : values.size() / static_cast<std::size_t>(count);
  out.open('[');
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    out.numbers(values.subspan(i * width, width));
  }
  out.close(']');
}

void write_contribution(Writer& out, const TreeShape& shape, std::size_t layers,
                        const Contribution& contribution) {
  out.key("gradient");
  write_tree(out, shape, contribution.gradient.values());
  out.key("loss");
  out.number(contribution.loss);
  out.key("valid");
  out.integer(contribution.valid.value);
  out.key("rows");
  out.integer(contribution.rows);
  out.key("absent");
  write_flags(out, contribution.absent, layers);
}

void write_micro_batch(Writer& out, std::size_t layers, const MicroBatch& batch) {
  out.key("x");
  write_rows(out, batch.x, batch.rows());
  out.key("y");
  write_rows(out, batch.y, batch.rows());
  out.key("mask");
  write_flags(out, batch.mask, batch.mask.size());
  out.key("absent");
  write_flags(out, batch.absent, layers);
}

void write_head(Writer& out, std::uint64_t id, const Case& problem, const Claim& claim) {
  const RoleDtypes dtypes = role_dtypes(claim, problem.dtype);
  out.key("type");
  out.text("case");
  out.key("id");
  out.integer(static_cast<std::int64_t>(id));
  out.key("world");
  out.integer(problem.world_size().value);
  out.key("dtype");
  out.text(name(problem.dtype));
  out.key("gradient_dtype");
  out.text(name(dtypes.gradient));
  out.key("result_dtype");
  out.text(name(dtypes.output));
}

/// A message being written.
struct Message {
  const Case& problem;
  const TreeShape& shape;
  const AllContributions* contributions;
  Writer out{};

  void write_rank(std::size_t step, std::size_t rank) {
    const std::size_t layers = problem.model.layers.size();
    const std::size_t shard =
        static_cast<std::size_t>(problem.mesh.data_shard(Rank{static_cast<int>(rank)}));
    const std::vector<MicroBatch>& batches = problem.steps[step].shards[shard].micro_batches;
    out.open('{');
    out.key("micro_batches");
    out.open('[');
    for (std::size_t b = 0; b < batches.size(); ++b) {
      out.open('{');
      if (contributions == nullptr) {
        write_micro_batch(out, layers, batches[b]);
      } else {
        write_contribution(out, shape, layers, (*contributions)[step][shard][b]);
      }
      out.close('}');
    }
    out.close(']');
    out.close('}');
  }

  void write_steps(std::span<const int> ranks) {
    out.key("steps");
    out.open('[');
    for (std::size_t s = 0; s < problem.steps.size(); ++s) {
      out.open('{');
      out.key("ranks");
      out.open('[');
      for (const int rank : ranks) write_rank(s, static_cast<std::size_t>(rank));
      out.close(']');
      out.close('}');
    }
    out.close(']');
  }
};

}  // namespace

std::string case_message(std::uint64_t id, const Case& problem, const TreeShape& shape,
                         const Claim& claim, const AllContributions* contributions,
                         std::span<const int> ranks) {
  Message message{.problem = problem, .shape = shape, .contributions = contributions};
  Writer& out = message.out;
  out.open('{');
  write_head(out, id, problem, claim);
  out.key("ranks");
  out.open('[');
  for (const int rank : ranks) out.integer(rank);
  out.close(']');
  write_leaves(out, shape);
  if (contributions == nullptr) {
    out.key("learning_rate");
    out.number(problem.learning_rate);
    out.key("parameters");
    write_tree(out, shape, problem.model.parameters);
  }
  message.write_steps(ranks);
  out.close('}');
  return std::move(out).line();
}

}  // namespace shardproof
