#pragma once

#include <vector>

#include "shardproof/subject/fault_catalogue.h"

namespace shardproof {

// One function a file: appends the faults whose ids begin with these letters.
void add_reported_a_b(std::vector<ReportedFault>& all);
void add_reported_c_e(std::vector<ReportedFault>& all);
void add_reported_f_h(std::vector<ReportedFault>& all);
void add_reported_i_p(std::vector<ReportedFault>& all);

/// Where a fault was seen.
struct Source {
  const char* id;
  FaultFamily family;
  int year;
  const char* url;
  const char* what;
};

ReportedFault planted(const Source& source, const char* known_name, Planted how);
/// One that changes bits inside the bound only.
ReportedFault order_only(const Source& source, const char* known_name, Planted how);
ReportedFault left_out(const Source& source, const char* why);

/// The known fault of that name where `when` holds, too. \pre there is one
Fault known(std::string_view name, const Trigger& when = {});

/// The default strategy, in that topology.
Strategy on(Topology topology);

}  // namespace shardproof
