#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shardproof/generators/cases.h"
#include "shardproof/subject/subject.h"

namespace shardproof::cli {

/// What is under test.
struct SubjectRequest {
  std::string name{};                  ///< of a built-in subject; may be empty
  std::vector<std::string> command{};  ///< behind `--`: a program; may be empty
  std::chrono::nanoseconds startup = std::chrono::seconds(60);
  int warmup = 0;
  int memory = 4096;  ///< MiB; 0: no limit
};

struct ReportFiles {
  std::string junit{};  ///< a file; empty: none
  std::string json{};   ///< a file; empty: none
};

struct CheckRequest {
  SubjectRequest subject;
  std::string properties = "*";  ///< globs
  std::string claim;             ///< `KEY=VALUE,...` on top of the subject's own; may be empty
  DrawOptions draw;
  bool world_asked_for = false;  ///< else the usual sizes, or those of a claim beyond them
  int cases = 1000;
  std::optional<std::uint64_t> seed;  ///< nothing: see `chosen_seed`
  std::optional<std::chrono::nanoseconds> time;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  ///< of one trial
  std::string save;                                             ///< a directory; empty: none
  ReportFiles reports{};
  bool quiet = false;
};

struct ReplayRequest {
  std::vector<std::string> files;
  SubjectRequest subject;                 ///< nothing: each file's own
  std::optional<std::string> properties;  ///< globs; nothing: each file's own
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
};

struct ExplainRequest {
  std::string file;
  SubjectRequest subject{};  ///< nothing: the file's own
};

struct BoundRequest {
  Dtype dtype = Dtype::f32;         ///< of what is handed in
  std::optional<Dtype> accumulate;  ///< nothing: the same
  std::optional<Dtype> output;      ///< nothing: the same
  std::optional<Dtype> wire;        ///< nothing: no conversion
  int ranks = 2;
  int micro_batches = 1;
  std::vector<double> terms;     ///< [rank][micro-batch]; empty: any
  std::vector<int> counts;       ///< [rank][micro-batch], valid rows; empty: one each
  std::optional<int> roundings;  ///< nothing: any placement of the division
  int levels = 1;
  bool tree = false;
  bool faithful = false;
  bool flush = false;
};

struct ClaimRequest {
  SubjectRequest subject;
  DrawOptions draw;
  int cases = 300;                    ///< for each claim that is tried
  std::optional<std::uint64_t> seed;  ///< nothing: see `chosen_seed`
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
};

struct SoakRequest {
  std::int64_t judgements = 10'000'000;
  std::optional<std::uint64_t> seed;  ///< nothing: see `chosen_seed`
  std::optional<std::chrono::nanoseconds> time;
  int jobs = 2;
  std::string json;  ///< a file; empty: none
  std::string save;  ///< a directory; empty: none
};

struct ListRequest {
  bool faults = false;  ///< the catalogue of faults instead
};
struct DemoRequest {};

struct MutateRequest {
  std::uint64_t seed = 0;
  int seeds = 1;         ///< so many from `seed` on; the matrix is that of the first
  int cases = 1000;      ///< the effort to refute one wrong subject
  std::string json;      ///< a file; empty: none
  std::string markdown;  ///< a file; empty: none
  bool quiet = false;
  bool minimality = false;  ///< compare shrunk cases with all simpler ones instead
};

struct GenerateRequest {
  SubjectKind kind = SubjectKind::reducer;
  std::string claim;  ///< `KEY=VALUE,...`; may be empty
  DrawOptions draw;
  bool world_asked_for = false;
  int cases = 200;
  std::optional<std::uint64_t> seed;  ///< nothing: see `chosen_seed`
};

struct JudgeRequest {
  std::string cases;    ///< a file
  std::string results;  ///< a file
  std::string properties = "*";
  ReportFiles reports{};
  bool quiet = false;
};

struct InitRequest {
  std::string kind;  ///< `python`, ...
  std::string file;  ///< empty: the usual name
};

/// Something to print, and nothing else to do.
struct HelpRequest {
  std::string text;
};

using Request = std::variant<CheckRequest, ReplayRequest, ExplainRequest, BoundRequest,
                             ClaimRequest, SoakRequest, ListRequest, DemoRequest, MutateRequest,
                             InitRequest, GenerateRequest, JudgeRequest, HelpRequest>;

/// The verb that the command line begins with; empty where it is none.
std::string verb_of(int count, const char* const* arguments);

/// Reads the command line.
/// \throws InputError  naming the argument and what is allowed
Request parse_arguments(int count, const char* const* arguments);

}  // namespace shardproof::cli
