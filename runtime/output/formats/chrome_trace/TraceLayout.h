// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where everything in a trace stands: the rows that there are, and which of them each span is in.
// Knows nothing of how a trace is written.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACELAYOUT_H
#define GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACELAYOUT_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "output/data/Run.h"
#include "output/formats/chrome_trace/ChromeTrace.h"

namespace graphprof {

class TraceLayout {
public:
  /// Of `data`, which outlives this.
  TraceLayout(const TraceData &data, const Run &run);

  /// A row of the trace, and its name.
  struct Thread {
    std::uint64_t pid, tid;
    std::string name;
  };
  static constexpr std::size_t none = SIZE_MAX;

  std::uint64_t hostPid = 0;          ///< which is no device's number
  std::int64_t baseNs = 0, endNs = 0; ///< the earliest time, which others are relative to; the last
  std::vector<Thread> threads;
  std::size_t launches = 0;            ///< the thread that launches stand in
  std::size_t memory = 0;              ///< and that of allocations and frees, where there are any
  std::set<std::uint64_t> counted;     ///< devices with memory
  std::vector<std::size_t> threadOf;   ///< of each replay, and behind those of each region
  std::vector<bool> hidden;            ///< of each region: its host span stands for it
  std::vector<std::size_t> launchOf;   ///< of each replay its launch among the host spans, or none
  std::vector<std::size_t> spanOrder;  ///< host spans as they are written
  std::vector<std::size_t> spanThread; ///< of each host span its thread
  std::vector<std::size_t> replayOf;   ///< of each host span the replay that it launched, or none

  /// Is it a replay whose times are known?
  [[nodiscard]] static bool drawn(const TraceData::Replay &replay);

private:
  // What rows belong to: a stream of a device, or the host's regions.
  struct Lane {
    int device = -1;
    std::uint64_t stream = 0;
    auto operator<=>(const Lane &) const = default;
  };

  void findBase();
  void joinLaunches();
  void placeThreads();
  void placeThread(const TraceData::Thread &thread, std::vector<std::size_t> spans);
  void placeLanes();
  void hideTwins();
  void placeLane(const Lane &lane, const std::vector<std::size_t> &spans);
  [[nodiscard]] static Lane laneOf(const TraceData::Region &region);
  [[nodiscard]] std::size_t around(const TraceData::Region &region) const;
  [[nodiscard]] std::uint64_t freeTid();

  const TraceData &data_;
  std::set<std::uint64_t> programTids_; // of the program's threads
  std::uint64_t nextTid_;               // of rows that have no number of their own
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACELAYOUT_H
