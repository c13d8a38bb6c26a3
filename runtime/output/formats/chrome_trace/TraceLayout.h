// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The layout of a trace: its rows, and the row of each span. Does not know how a trace is written.

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

/// Where a trace stands among those of other processes in one file.
struct TraceAmong {
  static constexpr std::uint64_t pidsEach = 1'000;
  std::uint64_t firstPid = 0; ///< its processes have `pidsEach` numbers from this one on; 0: alone
  std::int64_t baseNs = 0;    ///< to which times refer; 0: the earliest
  std::size_t firstArrow = 0; ///< behind those of the traces before
};

class TraceLayout {
public:
  /// For `data`, which must outlive this object.
  TraceLayout(const TraceData &data, const Run &run, TraceAmong among = {});

  /// The process that stands for a device, or, if negative, for the host.
  [[nodiscard]] std::uint64_t pidOf(int device) const {
    return device < 0 ? hostPid : firstPid + static_cast<std::uint64_t>(device);
  }

  /// A row of the trace, and its name.
  struct Thread {
    std::uint64_t pid, tid;
    std::string name;
  };
  static constexpr std::size_t none = SIZE_MAX;

  std::uint64_t firstPid = 0;         ///< the first device's
  std::uint64_t hostPid = 0;          ///< differs from every device's
  std::int64_t baseNs = 0, endNs = 0; ///< the earliest time, to which others refer; the last
  std::vector<Thread> threads;
  std::size_t launches = 0;            ///< the row of launches
  std::size_t memory = 0;              ///< the row of allocations and frees, if there are any
  std::set<std::uint64_t> counted;     ///< devices with memory events
  std::vector<std::size_t> threadOf;   ///< of each replay, followed by those of each region
  std::vector<bool> hidden;            ///< of each region: its host span replaces it
  std::vector<std::size_t> launchOf;   ///< of each replay: its launch among the host spans, or none
  std::vector<std::size_t> spanOrder;  ///< host spans in the order in which they are written
  std::vector<std::size_t> spanThread; ///< of each host span: its row
  std::vector<std::size_t> warpThread; ///< of each warp of each twin: its row
  std::vector<std::size_t> replayOf;   ///< of each host span: the replay that it launched, or none

  /// Is it a replay with known times?
  [[nodiscard]] static bool drawn(const TraceData::Replay &replay);

private:
  // What a group of rows shows: a stream of a device, or the host's regions.
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
  void placeWarps();
  void placeLane(const Lane &lane, const std::vector<std::size_t> &spans);
  [[nodiscard]] static Lane laneOf(const TraceData::Region &region);
  [[nodiscard]] std::size_t around(const TraceData::Region &region) const;
  [[nodiscard]] std::uint64_t freeTid();

  const TraceData &data_;
  std::set<std::uint64_t> programTids_; // of the program's threads
  std::uint64_t nextTid_;               // of rows without a number of their own
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACELAYOUT_H
