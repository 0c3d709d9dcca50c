#include <cstdio>
#include <string>

#include "column.h"
#include "exit_status.h"
#include "shardproof/subject/fault_catalogue.h"
#include "verbs.h"

namespace shardproof::cli {
namespace {

std::string known() {
  std::string out;
  for (const KnownFault& fault : known_faults()) {
    out += "  " + padded(fault.name, 34) + padded(name(fault.family), 20) + fault.formula + ": " +
           fault.meaning + '\n';
  }
  return out;
}

std::string reported(bool planted) {
  std::string out;
  for (const ReportedFault& fault : reported_faults()) {
    if (fault.left_out.empty() != planted) continue;
    out += "  " + padded(fault.id, 4) + padded(name(fault.family), 20) +
           std::to_string(fault.year) + "  " + fault.what + '\n';
    const std::string more = planted ? fault.known : fault.left_out;
    out += "        " + fault.url + '\n';
    if (!more.empty()) out += "        " + (planted ? "as " + more : "because " + more) + '\n';
  }
  return out;
}

}  // namespace

int list_faults() {
  const std::string out = "faults seen in real projects, planted: subjects `fault:ID`\n" +
                          reported(true) + "left out\n" + reported(false) +
                          "known arithmetics, causes of a diagnosis: subjects `fault:NAME`\n" +
                          known();
  std::fputs(out.c_str(), stdout);
  return kNothingRefuted;
}

}  // namespace shardproof::cli
