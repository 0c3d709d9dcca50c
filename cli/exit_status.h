#pragma once

namespace shardproof::cli {

/// What the program returns to its caller; scripts and CI rely on these numbers.
enum ExitStatus {
  kNothingRefuted = 0,
  kRefuted = 1,       ///< or failed in another way: threw, deadlocked, ...
  kBadInput = 2,      ///< bad usage or an unusable file; one line on stderr says what and where
  kNotStarted = 3,    ///< the subject could not be started
  kNothingRan = 4,    ///< no property applied to any case, or to none of some class
  kInternal = 5,      ///< a defect of shardproof itself
  kInterrupted = 130  ///< by SIGINT or SIGTERM; the partial report is written
};

}  // namespace shardproof::cli
