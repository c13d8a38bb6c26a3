// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Measurements as plain data, on their way from the session to every output: replays, host spans,
// allocations and frees. The name and values of a region are stored once, however often it is
// replayed, and likewise for host spans. Does not know threads or formats.

#ifndef GRAPHPROF_OUTPUT_DATA_BATCH_H
#define GRAPHPROF_OUTPUT_DATA_BATCH_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/GraphMemory.h"
#include "output/data/InternTable.h"
#include "output/data/KernelRun.h"
#include "output/data/Layouts.h"
#include "output/data/MemoryEvent.h"
#include "output/data/Places.h"
#include "output/data/Replay.h"

namespace graphprof {

struct Batch {
  /// A region or a node at its place: one name and values, one site, inside the same regions.
  struct Region {
    std::uint64_t id;     ///< from 1, in order of first appearance
    std::uint64_t parent; ///< id of the region around it, which is smaller; 0: none
    const Site *site;     ///< lives as long as the program
    std::string name;
    std::string path; ///< names from the outermost region to this one, separated by slashes; that
                      ///< of a node with its number (shown())
    int depth;
    Kind kind;
    Clock clock;
    std::vector<Value> context;
    std::uint32_t place = 1; ///< of a node: which of those of its name there (Places)

    /// Its name in a list of places.
    [[nodiscard]] std::string shown() const { return nameAt(name, place); }
  };
  /// What a graph is made of, and its structure, if an output wants it. If nodes are timed, that is
  /// the structure of the graph's replays that have a record for each of them, from the one with
  /// which it comes until another one of the graph comes. Graphs that are timed in place have
  /// nodes, too, but none of them is timed.
  struct Graph {
    std::uint64_t id;     ///< from 1, in order of first appearance
    std::uint64_t number; ///< of the graph, as in replays
    std::uint64_t like;   ///< id of an earlier one with the same nodes and regions; 0: none
    GraphCounts counts;
    std::shared_ptr<const GraphNodes> nodes; ///< never null; empty if no output wants them
    /// The ids of the graph's regions, by GraphNodes::Node::timed and region, in the order of the
    /// replays' records; 0: not met yet, as those of conditional nodes' bodies.
    std::vector<std::uint64_t> regions;
    /// As in the replay with which it comes; null: it has no name.
    // NOLINTNEXTLINE(readability-redundant-member-init): a designated initializer may omit it
    std::shared_ptr<const GraphName> serves = nullptr;
  };
  /// Record::busy_ns and what belongs to it.
  struct Busy {
    std::int64_t ns = -1, gapNs = -1; ///< -1: not measured
    std::uint32_t replays = 0;
    GapCause cause = GapCause::Unknown;
    [[nodiscard]] bool isKnown() const { return ns >= 0; }
    bool operator==(const Busy &) const = default;
  };
  /// A record, without what its replay and its region contain.
  struct Timing {
    std::uint64_t region;    ///< an id
    std::int64_t beginNs;    ///< since the Unix epoch; 0: not measured
    std::int64_t durationNs; ///< -1: not measured
    std::int64_t iteration;  ///< -1: not in a conditional node's body
    std::int64_t step;       ///< its own outside graphs, otherwise the replay's
    std::uint64_t stream;    ///< likewise
    int device;              ///< likewise
    Ends ends : 1;
    std::uint32_t ofGraph : 31; ///< Record::region
    /// Its replay's, or when the region began on the host. No file says the latter: as read from
    /// one, it is that of the outermost region.
    std::int64_t launchNs = 0;
    // NOLINTNEXTLINE(readability-redundant-member-init): a designated initializer may omit it
    Busy busy = {};
  };
  struct Launch {
    Replay replay; ///< without its records
    std::size_t first = 0, count = 0;
  };
  /// What equal host spans share: kind, name and values, and the site.
  struct Act {
    std::uint64_t id; ///< from 1, in order of first appearance
    HostKind kind;
    bool captured;
    const Site *site; ///< lives as long as the program; may be null
    std::string name;
    std::vector<Value> context;
  };
  struct Thread {
    std::uint64_t id;     ///< from 1, in order of first appearance
    std::uint64_t number; ///< the kernel's, which may be reused for another thread
    std::string name;
  };
  /// A host span, without what its act and its thread contain.
  struct Span {
    std::uint64_t act, thread; ///< ids
    std::int64_t beginNs, endNs, step;
    std::uint64_t graph, exec, replay; ///< of a launch
    std::uint64_t bytes;               ///< of a copy
    int device;                        ///< of a copy; -1: unknown
  };
  struct Memory {
    MemoryEvent event; ///< without its path
    std::string path;
  };
  /// Metadata of the program: a key and a JSON value.
  struct Note {
    std::string key, json;
  };

  /// The least ids. Those before do not occur again.
  std::uint64_t regionsFrom = 1, graphsFrom = 1, actsFrom = 1, threadsFrom = 1;
  /// What is new to the reader, perhaps preceded by others. Ids are consecutive.
  std::vector<Region> regions;
  std::vector<Graph> graphs;   ///< likewise; after the regions that they refer to
  std::vector<Act> acts;       ///< likewise
  std::vector<Thread> threads; ///< likewise
  std::vector<Launch> launches;
  std::vector<Timing> timings;
  std::vector<KernelRun> kernelRuns; ///< in the order of their replays
  std::vector<Span> spans;           ///< those of a thread are ordered by their ends
  std::vector<Memory> memory;
  std::vector<GraphMemoryStep> graphMemory;
  std::vector<Note> notes;
  std::vector<std::string> remarks; ///< sentences without a full stop
  /// With this batch, all records and host spans of the steps before this one have come that will
  /// come. Later batches say a larger number or, if there is no news, 0.
  std::int64_t settledBefore = 0;

  [[nodiscard]] std::span<const Timing> timingsOf(const Launch &launch) const {
    return {timings.data() + launch.first, launch.count}; // nvcc makes no span of a vector
  }
  /// Removes everything except regions, graphs, acts and threads.
  void clearRecords() {
    launches.clear();
    timings.clear();
    kernelRuns.clear();
    spans.clear();
    memory.clear();
    graphMemory.clear();
    notes.clear();
    remarks.clear();
    settledBefore = 0;
  }
  [[nodiscard]] bool empty() const {
    return launches.empty() && kernelRuns.empty() && spans.empty() && memory.empty() &&
           graphMemory.empty() && notes.empty() && remarks.empty() && settledBefore == 0;
  }
  /// Its weight if records are bounded and counted.
  [[nodiscard]] std::size_t records() const {
    return timings.size() + kernelRuns.size() + spans.size() + memory.size() + graphMemory.size();
  }
};

/// Those of `things` that are new to a reader who knows all before `next`.
template <class Thing>
[[nodiscard]] std::span<const Thing> newOf(const std::vector<Thing> &things, std::uint64_t next) {
  if (things.empty() || things.front().id >= next)
    return things;
  const auto met = static_cast<std::size_t>(next - things.front().id);
  return std::span(things).subspan(met < things.size() ? met : things.size());
}

/// The one with this id, in a batch with everything that is known, as the session's are.
template <class Thing>
[[nodiscard]] const Thing &withId(const std::vector<Thing> &things, std::uint64_t id) {
  return things[static_cast<std::size_t>(id - things.front().id)];
}

/// Fills batches. Bounded: with too many regions it forgets which are known and starts again;
/// likewise for acts and threads.
class Batcher {
public:
  explicit Batcher(std::size_t maxRegions = 100'000) : maxKnown_(maxRegions) {}

  void add(const Replay &replay, Batch &batch);
  void add(const HostSpan &span, Batch &batch);
  static void add(const MemoryEvent &event, Batch &batch);
  /// Empties it but keeps what is known, for readers that begin now.
  void clear(Batch &batch) const;
  /// Does the same without what is known, for readers that have it already.
  void renew(Batch &batch) const;

private:
  struct Region {
    std::uint64_t id;
    std::string path;
  };
  struct Open {
    std::uint64_t id;
    std::string_view path; // part of regions_, where it does not move
    Places inside;
  };
  struct Thread {
    std::uint64_t id;
    std::string name;
  };

  // Adds to both `known` and `things` or, without memory, to neither.
  template <class Thing, class Table, class Of>
  static const Of &define(std::vector<Thing> &things, Thing thing, Table &known,
                          const Identity &identity, Of of);
  void identify(const Replay &replay, Batch &batch, std::vector<std::uint64_t> &ids);
  void describe(const Replay &replay, Batch &batch, const std::vector<std::uint64_t> &ids);
  void forgetGraphs();
  [[nodiscard]] std::uint64_t actOf(const HostSpan &span, Batch &batch);
  [[nodiscard]] std::uint64_t threadOf(const HostSpan &span, Batch &batch);

  std::size_t maxKnown_; // of each kind
  // Not static: the harvest thread may still work while the process runs its exit handlers.
  std::shared_ptr<const GraphNodes> notWanted_ = std::make_shared<const GraphNodes>();
  // The next ids, and the least known ids.
  std::uint64_t nextRegion_ = 1, regionsFrom_ = 1;
  std::uint64_t nextGraph_ = 1, graphsFrom_ = 1;
  std::uint64_t nextAct_ = 1, actsFrom_ = 1;
  std::uint64_t nextThread_ = 1, threadsFrom_ = 1;
  InternTable<Region> regions_;
  struct Described {
    std::uint64_t drawnLooks = 0;
    GraphCounts counts;
    std::size_t timed = 0; // nodes that every replay of the whole graph has records for
    bool isKnown = false;
  };
  std::unordered_map<std::uint64_t, Described> described_;  // by the number of the graph
  std::unordered_map<std::uint64_t, Batch::Graph> byLooks_; // the first that looks so
  std::size_t describedNodes_ = 0;                          // in all of them
  InternTable<std::uint64_t> acts_;
  std::unordered_map<std::uint64_t, Thread> threads_; // by number
  Layouts<std::uint64_t> idsOf_;
  std::vector<Open> open_; // the regions around the current record
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_BATCH_H
