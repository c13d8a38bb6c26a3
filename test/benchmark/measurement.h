// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Measures a technique and the untimed graph on one workload. In each round each of them has a
// turn: a block of replays, back to back. The order alternates. Drifting clocks and temperatures so
// affect both alike, and each figure is compared with the untimed block of its round.
//
// A turn: switch on, make a few launches that do not count (the first replay among them), launch a
// block between two events, read the block's regions, make a few single launches on the idle GPU,
// switch off.
//
// The true time of a region, while nothing times it, cannot be read. It is inferred from CUPTI's
// records of the same graph: their median, minus each node's share of what CUPTI adds to a replay,
// so that the regions' times add up to the untimed replay. Regions that were read from begin to
// begin are compared with CUPTI's begins, those read from end to end with its ends. Without CUPTI,
// stamps inside the chain replace it, minus each region's share of what they add; then both are
// compared with ends. If there are both, the report says how far they differ: smaller errors mean
// nothing.

#ifndef GRAPHPROF_BENCHMARK_MEASUREMENT_H
#define GRAPHPROF_BENCHMARK_MEASUREMENT_H

#include <memory>
#include <string>
#include <vector>

#include "statistics.h"
#include "technique.h"
#include "workload.h"

namespace benchmark {

/// When a measurement ends: see statistics.h.
struct Limits {
  int rounds;     ///< at most
  double seconds; ///< for each set of techniques on each workload
};

/// The errors of readings over the regions of a workload. A region's reading is the median over all
/// replays that were read.
struct Accuracy {
  double medianUs = 0;  ///< median absolute error
  double maximumUs = 0; ///< largest absolute error
  int beyondLimit = 0;  ///< regions that are off by more than accuracyLimitUs
  double nearShare = 0; ///< of the regions: within nearUs or nearPart of the truth
};

inline constexpr double accuracyLimitUs = 0.3;
inline constexpr double nearUs = 0.2, nearPart = 0.02;

/// One technique on one workload.
struct Result {
  std::string technique;
  long lostReplays = 0;           ///< measured, but never read
  std::size_t nodes = 0;          ///< of its graph
  Summary gpuUs;                  ///< GPU time of a replay, back to back
  Summary untimedUs;              ///< that of the untimed graph beside it, in the same process
  Summary ratio;                  ///< to the untimed block of the same round
  Summary addedUs;                ///< GPU time added, for each region
  Summary launchIdleUs;           ///< host time of a launch while the GPU is idle
  Summary launchBusyUs;           ///< host time of a launch, back to back: the mean of a block
  std::vector<Summary> regionsUs; ///< what it read; empty where it reads nothing
  std::vector<Summary> beginsUs;  ///< Technique::readingsOfBegins(); empty where there are none
  std::vector<char> areOfBegins;  ///< Technique::areOfBegins()
  Accuracy accuracy;              ///< set by judge(), where it reads something
  Technique::Reference reference = Technique::Reference::None;
};

/// The results of one workload.
struct Comparison {
  std::string workload;
  int replaysPerBlock = 0;
  std::vector<std::string> regionNames;
  std::vector<std::size_t> regionNodes;
  std::vector<Result> results; ///< the first is the untimed graph, alone in a process
  // Set by judge():
  std::string truthFrom;               ///< the technique that gave the true times; empty: none
  std::vector<double> truthUs;         ///< of each region, from end to end
  std::vector<double> truthOfBeginsUs; ///< the same from begin to begin
  std::string checkedBy; ///< another technique from which it could have been inferred; empty: none
  Accuracy check;        ///< how far that is from the truth
};

/// Compares `technique` with the untimed graph. Null: measures the untimed graph alone. The results
/// are those of the untimed graph, then the technique's.
Comparison compare(const Workload &workload, std::unique_ptr<Technique> technique,
                   const Limits &limits);

/// Infers the true times and compares all techniques' readings with them.
void judge(Comparison &comparison);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_MEASUREMENT_H
