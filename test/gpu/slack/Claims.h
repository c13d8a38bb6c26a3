// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof report --critical-path says of a recording.

#ifndef GRAPHPROF_TEST_GPU_SLACK_CLAIMS_H
#define GRAPHPROF_TEST_GPU_SLACK_CLAIMS_H

#include <cstdint>
#include <string>
#include <vector>

struct Claim {
  bool hasSlack;
  double slackUs; ///< the median
  double keptUs;  ///< what it would be if it were claimed
};
/// Of one graph.
struct Claims {
  std::uint64_t replays;
  double replayUs;          ///< in the median
  double besidePercent;     ///< of the time, two nodes or more ran
  std::vector<Claim> nodes; ///< as they were captured
};

/// Of the recording's graphs, in the order in which they were captured. Ends the program if the
/// recording cannot be read.
std::vector<Claims> claimsOf(const std::string &path);

#endif // GRAPHPROF_TEST_GPU_SLACK_CLAIMS_H
