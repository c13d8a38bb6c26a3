// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The Chrome trace: JSON in the form that torch.profiler (Kineto) writes, for Perfetto and
// chrome://tracing. It is kept in memory up to a bound and written whole at the end; a crash leaves
// no trace.
//
// | what | ph, cat | pid, tid |
// | --- | --- | --- |
// | a region on the device | X graphprof_region | device, stream |
// | a node: kernel, copy, memset, as Kineto's | X kernel, gpu_memcpy, gpu_memset | device, stream |
// | a node: host function, child graph | X graphprof_host, graphprof_graph | device, stream |
// | a replay, around its regions | X graphprof_replay | device, stream |
// | a sampled warp of a kernel's timed twin | X graphprof_warp | device, multiprocessor |
// | - a region that it went through | X graphprof_inside | as its warp |
// | a launch, with an arrow to its replay | X cuda_runtime, s and f ac2g | process, 1 |
// | a region with host time only | X graphprof_region | process, 2 |
// | what a thread of the program did (host spans), as Kineto's | | process, thread |
// | - a region, a copy to the device | X cpu_op | |
// | - a step, a range; a mark | X, i user_annotation | |
// | - a launch, with its duration; its arrow begins here instead | X cuda_runtime | |
// | a region that was not measured | i graphprof_region | where it would stand |
// | replays of an exec between two that are here | i graphprof_missing | process, 1 |
// | an allocation or a free, as Kineto's | i cpu_instant_event | process, 3 |
// | the bytes that are allocated, by kind | C | device; process |
// | what was lost | i graphprof_loss, and the key graphprofLosses | |
//
// Regions that overlap (parallel branches) are in further rows, "stream 7 (2)". A launch without a
// host span has a time but no duration: its span has dur 0. A region with host time only is not
// drawn again if it has a host span. Arguments of a region: context values under `context` by key
// or position, source and function, clock, graph, exec, replay, cold, step, and as "Module
// Hierarchy" the names of the regions around it, separated by dots, the outermost first. Arguments
// of a node, instead of context and source, are Kineto's: device, stream, correlation, and for
// copies and memsets bytes and "memory bandwidth (GB/s)".

#ifndef GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_CHROMETRACE_H
#define GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_CHROMETRACE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "output/BatchWriter.h"
#include "output/data/ById.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "output/statistics/CriticalReplays.h"

namespace graphprof {

/// What a trace keeps of the replays, in little memory: the name and the context of a region are
/// kept once, even if it is replayed a million times.
struct TraceData {
  struct Replay {
    std::uint64_t graph, exec, number; ///< exec 0: outside graphs
    int device;
    std::uint64_t stream;
    std::int64_t launchNs, beginNs, endNs, step;
    bool cold;
    std::size_t firstRegion, regions; ///< its own, in `regions`
    /// Of its graph, if all of its nodes are recorded; or null. Lives as long as the trace.
    const CriticalReplays::Structure *structure;
    std::uint32_t cudaGraph, cudaExec;       ///< the driver's ids; 0: unknown
    std::shared_ptr<const GraphName> serves; ///< what its graph serves; null: it has no name
  };
  struct Region {
    std::int64_t beginNs, durationNs; ///< negative duration: not measured
    std::ptrdiff_t parent;            ///< the region around it in the same process; -1: none
    std::uint32_t replay;             ///< index in `replays`
    std::uint32_t text;               ///< index in `texts`
    std::uint32_t modules;            ///< the names of the regions around it, likewise
    int device;
    std::uint64_t stream;
    bool host;         ///< host time only
    std::int64_t step; ///< -1: none
    Kind kind;
    std::int64_t iteration; ///< -1: not in a conditional node's body
    std::uint64_t bytes;    ///< of a copy or memset node, or a copy of a step; else 0
    Ends ends;
    Batch::Busy busy;
    bool isCritical = false;   ///< a node on its replay's critical path
    std::int64_t slackNs = -1; ///< of a node; -1: none is claimed
  };
  struct Span { ///< HostSpan
    std::int64_t beginNs, endNs;
    std::uint32_t thread; ///< index in `threads`
    std::uint32_t text;   ///< index in `texts`
    std::uint32_t name;   ///< likewise
    HostKind kind;
    bool captured;
    std::int64_t step; ///< -1: none
    std::uint64_t graph, exec, replay, bytes;
  };
  struct Thread {
    std::uint64_t id;
    std::string name;
  };
  std::vector<Replay> replays;
  std::vector<MemoryEvent> memory; ///< by time; their paths are kept elsewhere
  std::vector<Region> regions;
  std::vector<Span> spans;
  std::vector<Thread> threads;
  std::vector<KernelRun> twins;                              ///< runs of kernels' timed twins
  std::vector<std::pair<std::string, std::string>> metadata; ///< key, JSON
  std::string deviceProperties = "[]";                       ///< JSON
  std::vector<const std::string *> texts; ///< `"name":...,"args":{...` without the closing brace,
                                          ///< or names with dots
};

/// The modules of what is inside the region `name`, which is inside `around`. Stops growing at some
/// length, because regions may recurse.
[[nodiscard]] std::string modulesInside(const std::string &around, std::string_view name);

/// Finds the critical path of each replay whose structure is known, and the slack of its nodes.
void markCriticalPaths(TraceData &data);

class ChromeTrace : public BatchWriter {
public:
  /// Keeps at most `maxRecords` records and host spans. Beyond that, leaves out whole replays.
  ChromeTrace(const std::string &path, std::size_t maxRecords, Run run = thisRun(),
              Existing others = Existing::Replaced);

  /// The first call fails if no file can be made at the path. A note becomes a key of the trace,
  /// unless the format uses that key for something else than `deviceProperties`.
  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::uint64_t dropped() const override { return dropped_; }
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return file_.written(); }

  [[nodiscard]] const Run &run() const { return run_; }
  /// A trace, and what was lost for it.
  struct Part {
    ChromeTrace *trace;
    Losses losses;
  };
  /// Writes several, of processes of a job, as one file at the path of the first, with processes
  /// and times that do not meet. Returns why that failed, or an empty text. Metadata are those of
  /// the first.
  [[nodiscard]] static std::string closeTogether(const std::vector<Part> &parts);

private:
  struct Region {
    std::uint32_t text, modules; // as in TraceData::Region
    std::string name;
    int depth;
    bool host;
    Kind kind;
    std::uint64_t bytes;
  };
  struct Act {
    std::uint32_t text, name; // as in TraceData::Span
    HostKind kind;
    bool captured;
  };

  template <class Keep> void take(std::size_t weight, std::size_t records, Keep keep);
  void learn(const Batch &batch);
  [[nodiscard]] Region known(const Batch::Region &region);
  void keep(const Batch &batch, const Batch::Launch &launch);
  void keep(const Batch::Span &span);
  void keep(const KernelRun &run);
  void keep(const Batch::Memory &memory);
  void keep(const Batch::Note &note);
  std::uint32_t intern(const std::string &text);

  const std::string path_;
  const std::size_t maxRecords_;
  const Run run_;
  WholeFile file_;
  bool checked_ = false;
  std::uint64_t dropped_ = 0;
  std::size_t warps_ = 0, warpSpans_ = 0; // of data_.twins
  TraceData data_;
  std::unordered_map<std::string, std::uint32_t> known_; // owns the texts
  CriticalReplays replays_;
  ById<Region> regions_;
  ById<Act> acts_;
  ById<Batch::Thread> threads_;
  std::unordered_set<std::string> paths_;                     // of data_.memory
  std::unordered_map<std::uint64_t, std::uint32_t> threadOf_; // by the thread's number
  struct Open {
    std::ptrdiff_t index; // in data_.regions
    bool host;
  };
  std::vector<Open> open_; // the regions around the current record
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_CHROMETRACE_H
