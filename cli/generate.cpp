#include <algorithm>
#include <cstdio>

#include "exit_status.h"
#include "seed.h"
#include "shardproof/properties/records.h"
#include "verbs.h"

namespace shardproof::cli {

int generate(const GenerateRequest& request) {
  const Claim claim = with_settings(Claim{}, request.claim);
  validate(claim);
  CasesFile file{.kind = request.kind, .claim = settings(claim), .seed = chosen_seed(request.seed)};
  RecordingOptions options{.seed = file.seed, .cases = request.cases, .draw = request.draw};
  if (!request.world_asked_for && claim.min_world > options.draw.max_world) {
    options.draw.max_world = claim.max_world;
  }
  file.cases = cases_to_record(claim, request.kind, options);
  const std::string lines = to_json_lines(file);
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  std::fprintf(stderr, "shardproof generate: %zu cases, %td of them to be judged; seed %llu\n",
               file.cases.size(),
               std::ranges::count(file.cases, StoredCase::Purpose::base, &StoredCase::purpose),
               static_cast<unsigned long long>(file.seed));
  return kNothingRefuted;
}

}  // namespace shardproof::cli
