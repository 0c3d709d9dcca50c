#include "subject/catalogue/reported.h"

#include <algorithm>
#include <utility>

namespace shardproof {

std::span<const ReportedFault> reported_faults() {
  static const std::vector<ReportedFault> faults = [] {
    std::vector<ReportedFault> all;
    add_reported_a_b(all);
    add_reported_c_e(all);
    add_reported_f_h(all);
    add_reported_i_p(all);
    return all;
  }();
  return faults;
}

const ReportedFault* find_reported_fault(std::string_view id) {
  const auto all = reported_faults();
  const auto found = std::ranges::find(all, id, &ReportedFault::id);
  return found == all.end() ? nullptr : &*found;
}

ReportedFault planted(const Source& source, const char* known_name, Planted how) {
  return {.id = source.id,
          .family = source.family,
          .year = source.year,
          .url = source.url,
          .what = source.what,
          .known = known_name,
          .planted = std::move(how)};
}

ReportedFault order_only(const Source& source, const char* known_name, Planted how) {
  ReportedFault fault = planted(source, known_name, std::move(how));
  fault.numeric = false;
  return fault;
}

ReportedFault left_out(const Source& source, const char* why) {
  ReportedFault fault = planted(source, "", {});
  fault.left_out = why;
  return fault;
}

Fault known(std::string_view name, const Trigger& when) {
  const KnownFault* const found = find_known_fault(name);
  Fault fault{found->fault.what, when};
  const Trigger& own = found->fault.when;
  if (when.ranks == Trigger::Ranks::every) {
    fault.when.ranks = own.ranks;
    fault.when.rank = own.rank;
  }
  if (when.micro_batches == Trigger::MicroBatches::every) {
    fault.when.micro_batches = own.micro_batches;
  }
  return fault;
}

Strategy on(Topology topology) {
  Strategy strategy;
  strategy.topology = topology;
  return strategy;
}

}  // namespace shardproof
