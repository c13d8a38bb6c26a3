// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From the replays that a trace kept to the events of Kineto's JSON, one a line.

#ifndef GRAPHPROF_OUTPUT_TRACEWRITER_H
#define GRAPHPROF_OUTPUT_TRACEWRITER_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphprof/control.h"
#include "output/ChromeTrace.h"
#include "output/File.h"
#include "output/Run.h"

namespace graphprof {

class TraceWriter {
public:
  TraceWriter(const TraceData &data, const Run &run, WholeFile &file);

  /// Writes the whole trace. `dropped` records were not kept. Returns why it failed, or nothing.
  [[nodiscard]] std::string write(std::string_view traceName, std::uint64_t dropped,
                                  const Losses &losses);

private:
  // What rows belong to: a stream of a device, or the host's regions.
  struct Lane {
    int device = -1;
    std::uint64_t stream = 0;
    auto operator<=>(const Lane &) const = default;
  };
  // A row of the trace, and its name.
  struct Thread {
    std::uint64_t pid, tid;
    std::string name;
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
  [[nodiscard]] bool drawn(const TraceData::Replay &replay) const;
  [[nodiscard]] std::uint64_t freeTid();
  [[nodiscard]] std::string place(std::size_t thread, std::int64_t ns) const;

  void writeThreads();
  void writeSpans();
  void writeReplays();
  void writeGaps();
  void writeRegions();
  void writeMemory();
  void writeLosses(std::uint64_t dropped, const Losses &losses);
  void event(std::string_view fields);
  void raw(std::string_view text);

  const TraceData &data_;
  const Run &run_;
  WholeFile &file_;
  std::string failed_; // the first failure; nothing is written behind it
  bool first_ = true;
  std::uint64_t hostPid_ = 0;
  std::int64_t baseNs_ = 0, endNs_ = 0;
  std::vector<Thread> threads_;
  std::set<std::uint64_t> programTids_; // of the program's threads
  std::uint64_t nextTid_;               // of rows that have no number of their own
  std::size_t launches_ = 0;            // the thread that launches stand in
  std::size_t memory_ = 0;              // and that of allocations and frees, where there are any
  std::set<std::uint64_t> counted_;     // devices with memory
  // Spans are counted through: first the replays, then the regions. The thread of each.
  std::vector<std::size_t> threadOf_;
  static constexpr std::size_t none = SIZE_MAX;
  std::vector<std::size_t> spanOrder_;  // host spans as they are written
  std::vector<std::size_t> spanThread_; // of each host span its thread
  std::vector<std::size_t> launchOf_;   // of each replay its launch among the host spans, or none
  std::vector<std::size_t> replayOf_;   // of each host span the replay that it launched, or none
  std::vector<bool> hidden_;            // of each region: its host span stands for it
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_TRACEWRITER_H
