#include "subject/worker/outcome_wire.h"

#include <utility>

namespace shardproof {
namespace {

void write(WireWriter& out, const Tree& tree) { out.values(tree.values()); }

Tree read_tree(WireReader& in, const SharedShape& shape) {
  std::vector<double> values = in.values<double>();
  if (values.size() != shape->size) throw WireError("a tree of another size");
  return {shape, std::move(values)};
}

void write(WireWriter& out, const std::optional<double>& number) {
  out.value(number.has_value());
  if (number) out.value(*number);
}

std::optional<double> read_number(WireReader& in) {
  if (in.value<std::uint8_t>() == 0) return std::nullopt;
  return in.value<double>();
}

void write(WireWriter& out, const RankResult& result) {
  write(out, result.gradient);
  write(out, result.loss);
  write(out, result.count);
  write(out, result.norm);
  out.value(result.parameters.has_value());
  if (result.parameters) write(out, *result.parameters);
  out.value(result.piece.has_value());
  if (result.piece) {
    out.value(static_cast<std::uint64_t>(result.piece->offset));
    out.value(static_cast<std::uint64_t>(result.piece->length));
  }
}

RankResult read_result(WireReader& in, const SharedShape& shape) {
  RankResult result;
  result.gradient = read_tree(in, shape);
  result.loss = read_number(in);
  result.count = read_number(in);
  result.norm = read_number(in);
  if (in.value<std::uint8_t>() != 0) result.parameters = read_tree(in, shape);
  if (in.value<std::uint8_t>() != 0) {
    const auto offset = static_cast<std::size_t>(in.value<std::uint64_t>());
    result.piece = Piece{offset, static_cast<std::size_t>(in.value<std::uint64_t>())};
  }
  return result;
}

void write(WireWriter& out, const InputChange& change) {
  out.value(change.rank.index);
  out.value(change.step);
  out.value(change.micro_batch);
  out.text(change.what);
  out.value(change.before);
  out.value(change.after);
}

InputChange read_change(WireReader& in) {
  InputChange change;
  change.rank.index = in.value<int>();
  change.step = in.value<int>();
  change.micro_batch = in.value<int>();
  change.what = in.text();
  change.before = in.value<double>();
  change.after = in.value<double>();
  return change;
}

/// Who, when and what: all that most outcomes without a result consist of.
template <class T>
void write_event(WireWriter& out, const T& event, const std::string& text) {
  out.value(event.rank.index);
  out.value(event.step);
  out.text(text);
}

struct WriteOutcome {
  WireWriter& out;

  void operator()(const Returned& it) const {
    out.value(static_cast<std::uint64_t>(it.results.size()));
    for (const std::vector<RankResult>& step : it.results) {
      out.value(static_cast<std::uint64_t>(step.size()));
      for (const RankResult& result : step) write(out, result);
    }
    out.value(it.input_change.has_value());
    if (it.input_change) write(out, *it.input_change);
  }
  void operator()(const Declined& it) const { write_event(out, it, it.message); }
  void operator()(const Threw& it) const { write_event(out, it, it.message); }
  void operator()(const Misbehaved& it) const { write_event(out, it, it.what); }
  void operator()(const Deadlocked& it) const {
    out.value(static_cast<std::uint64_t>(it.waits.size()));
    for (const Wait& wait : it.waits) {
      out.value(wait.rank.index);
      out.value(wait.what);
      out.value(wait.peer.index);
    }
  }
  void operator()(const TimedOut& it) const {
    out.value(static_cast<std::uint64_t>(it.stuck.size()));
    for (const Rank rank : it.stuck) out.value(rank.index);
  }
  void operator()(const Died& it) const {
    out.value(it.signal);
    out.text(it.what);
  }
};

template <std::size_t index>
using Alternative = std::variant_alternative_t<index, Outcome>;

template <class T>
T read_event(WireReader& in) {
  const Rank rank{in.value<int>()};
  const int step = in.value<int>();
  return T{rank, step, in.text()};
}

Returned read_returned(WireReader& in, const SharedShape& shape) {
  Returned returned;
  returned.results.resize(in.count(1));
  for (std::vector<RankResult>& step : returned.results) {
    const std::size_t ranks = in.count(1);
    for (std::size_t r = 0; r < ranks; ++r) step.push_back(read_result(in, shape));
  }
  if (in.value<std::uint8_t>() != 0) returned.input_change = read_change(in);
  return returned;
}

Deadlocked read_deadlocked(WireReader& in) {
  Deadlocked deadlocked;
  deadlocked.waits.resize(in.count(1));
  for (Wait& wait : deadlocked.waits) {
    wait.rank.index = in.value<int>();
    wait.what = in.value<Wait::For>();
    wait.peer.index = in.value<int>();
  }
  return deadlocked;
}

TimedOut read_timed_out(WireReader& in) {
  TimedOut timed_out;
  timed_out.stuck.resize(in.count(1));
  for (Rank& rank : timed_out.stuck) rank.index = in.value<int>();
  return timed_out;
}

}  // namespace

void write_outcome(WireWriter& out, const Outcome& outcome) {
  out.value(static_cast<std::uint8_t>(outcome.index()));
  std::visit(WriteOutcome{out}, outcome);
}

Outcome read_outcome(WireReader& in, const SharedShape& shape) {
  switch (in.value<std::uint8_t>()) {
    case 0:
      static_assert(std::is_same_v<Alternative<0>, Returned>);
      return read_returned(in, shape);
    case 1:
      static_assert(std::is_same_v<Alternative<1>, Declined>);
      return read_event<Declined>(in);
    case 2:
      static_assert(std::is_same_v<Alternative<2>, Threw>);
      return read_event<Threw>(in);
    case 3:
      static_assert(std::is_same_v<Alternative<3>, Deadlocked>);
      return read_deadlocked(in);
    case 4:
      static_assert(std::is_same_v<Alternative<4>, TimedOut>);
      return read_timed_out(in);
    case 5: {
      static_assert(std::is_same_v<Alternative<5>, Died>);
      const int signal = in.value<int>();
      return Died{signal, in.text()};
    }
    case 6: {
      static_assert(std::is_same_v<Alternative<6>, Misbehaved>);
      const Rank rank{in.value<int>()};
      const int step = in.value<int>();
      return Misbehaved{rank, step, in.text()};
    }
    default:
      throw WireError("an outcome of no kind");
  }
}

}  // namespace shardproof
