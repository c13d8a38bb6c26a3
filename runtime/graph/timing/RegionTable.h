// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of a graph with their boundaries: what is needed to read a replay's times. Plain
// data, shared by the execs of the graph and by the harvest thread.

#ifndef GRAPHPROF_GRAPH_TIMING_REGIONTABLE_H
#define GRAPHPROF_GRAPH_TIMING_REGIONTABLE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/Clock.h"
#include "graphprof/record.h"
#include "graphprof/site.h"
#include "graphprof/value.h"
#include "output/data/GraphName.h"
#include "output/data/GraphNodes.h"
#include "output/data/KernelRun.h"

namespace graphprof {

class Services;

/// The latest of several boundaries.
using Moment = std::vector<std::uint32_t>;

/// One region of a graph.
struct Region {
  const Site *site;
  std::vector<Value> context;
  std::string name;
  int depth;
  /// A boundary. With `alsoBehind`, a moment.
  std::uint32_t begin = 0;
  /// A boundary. With `alsoEnds`, a moment.
  std::uint32_t end = unfinished;
  static constexpr std::uint32_t unfinished =
      UINT32_MAX; ///< the scope was still open when the capture ended, or its end is not known
  Kind kind = Kind::Region;
  driver::Node node = nullptr; ///< the program's node, if this region is a node
  // NOLINTBEGIN(readability-redundant-member-init): without, no designated initializer may omit
  // them
  Moment alsoBehind = {}, alsoEnds = {};
  /// Further moments, if it has work in several streams. It begins at the earliest of all.
  std::vector<Moment> orBehind = {};
  // NOLINTEND(readability-redundant-member-init)
  /// It has no nodes, so it has no time, and none is lost.
  bool isEmpty = false;
  /// Its boundaries are in another part of the graph (Parts.h), so it has no record here.
  bool isElsewhere = false;

  /// It begins at the earliest of these.
  void beginAt(std::vector<Moment> moments);
  /// Nowhere if it is empty.
  void endAt(const Moment &moment);
  /// Adds `first` to the number of each boundary.
  void shift(std::uint32_t first);
};

/// A kernel of the program's that waits for a stamp (Joins.h).
struct WaitingKernel {
  driver::Node node;
  unsigned threads; ///< of the stamp
};

struct RegionTable;

/// A body of a conditional node. It has regions of its own, whose times come from its own ring. The
/// buffer of the graph around it says which iterations belong to each replay.
struct BodyTable {
  std::shared_ptr<const RegionTable> table;
  std::shared_ptr<ReplayBuffer> ring;
  std::size_t position;          ///< its records come before this region of the graph
  std::uint32_t firstRegion = 0; ///< index of its first region, behind all of the graph's
};

/// A kernel node whose timed twin runs in some replays.
struct TwinnedKernel {
  Region region; ///< the node, although it may have no record
  std::shared_ptr<const InsideOfKernel> inside;
};

/// What a finished capture leaves for the records of its replays. All execs of the graph share it.
struct RegionTable {
  std::uint64_t graphNumber = 0;      ///< from 1; 0: of a body
  std::vector<Region> regions;        ///< in capture order
  std::vector<BodyTable> bodies;      ///< of its conditional nodes, by position
  std::vector<TwinnedKernel> twinned; ///< if their twins run, in the order of the buffer's plans
  std::uint32_t boundaries = 0;       ///< including the root
  GraphClock *clock = nullptr;
  std::vector<StampEdge> edges; ///< by boundary; empty: all are Completion
  /// What to add to each boundary's time if some boundaries read the begin of the work behind them,
  /// and others the end of the work before them. The results are all begins. Empty: all read the
  /// same.
  std::vector<std::int64_t> toBeginNs;
  /// The program's kernel of each boundary on launch completion. Null for other boundaries, and in
  /// child graphs. Empty: there are none.
  std::vector<driver::Node> kernels;
  std::vector<WaitingKernel> waiting; ///< without those in child graphs
  std::vector<unsigned> stampThreads; ///< parallel to `kernels`: of each boundary's timing node
  std::vector<GapCause> gapCauses;    ///< by boundary, of the gap before it; may be short
  bool isJoined = false;              ///< nodes of the program wait for boundaries
  bool isOneBranch = false;           ///< nothing runs side by side; false: or that is unknown
  std::vector<bool> late;             ///< by boundary: its time is useless; empty: none is late
  std::int64_t gapNs = 0, aroundGapNs = 0; ///< from a kernel's end to the next's begin (StampLags)
  /// A hash of the profiled graph. An exec may be updated only from a graph that is built the same
  /// way. The driver accepts others, too, but then nodes change their places.
  std::uint64_t structure = 0;
  std::uint64_t layout = 0;                ///< differs for every list of regions
  std::uint64_t partOf = 0;                ///< of a part: the layout of the whole; otherwise 0
  std::vector<std::uint32_t> places;       ///< of a part: Replay::places; otherwise empty
  std::shared_ptr<const GraphNodes> drawn; ///< null: no output wanted it
  GraphCounts counts;                      ///< of the program's graph
  std::uint32_t cudaGraph = 0;             ///< driver::graphId() of it
  std::shared_ptr<const GraphName> serves; ///< what the program's graph serves; null: no name
  /// driver::localId() of each region that is a node, and GraphNodes::none for others. Null: there
  /// is no such region, or the driver tells no id.
  std::shared_ptr<const std::vector<std::uint32_t>> cudaNodes;

  /// The same for a table and those of its parts.
  [[nodiscard]] std::uint64_t wholeLayout() const { return partOf != 0 ? partOf : layout; }
  /// The number of regions, including those of bodies.
  [[nodiscard]] std::size_t allRegions() const;
  /// Sets the edges and what follows from them. The first `own` are not of child graphs; `lags`:
  /// how late their stamps read.
  void setEdges(std::vector<StampEdge> all, std::size_t own, const StampLags &lags);
  /// The time of a boundary among `times`: the begin of the work behind it.
  [[nodiscard]] std::int64_t timeOf(std::uint32_t boundary,
                                    std::span<const std::int64_t> times) const {
    const std::int64_t ns = times[boundary];
    if (toBeginNs.empty() || ns == ReplayBuffer::unreached)
      return ns;
    return isLate(boundary) ? ReplayBuffer::unreached : ns + toBeginNs[boundary];
  }
  /// The end of the last work before that boundary; not of one that reads a begin.
  [[nodiscard]] std::int64_t endBefore(std::uint32_t boundary,
                                       std::span<const std::int64_t> times) const {
    const std::int64_t ns = timeOf(boundary, times);
    return toBeginNs.empty() || ns == ReplayBuffer::unreached ? ns : ns - gapBehind(boundary);
  }
  [[nodiscard]] bool isLate(std::size_t boundary) const { return !late.empty() && late[boundary]; }
  /// The boundary on the launch completion of `kernel`, a node of the program; nullopt if there is
  /// none.
  [[nodiscard]] std::optional<std::size_t> boundaryAt(driver::Node kernel) const;
  /// A copy in which that boundary is late, or not.
  [[nodiscard]] std::shared_ptr<RegionTable> withLate(std::size_t boundary, bool isLate) const;
  /// Whether a boundary reads the begin of the work behind it, not the end of the work before it.
  [[nodiscard]] bool readsBegin(std::uint32_t boundary) const {
    return boundary < edges.size() && edges[boundary] == StampEdge::LaunchCompletion;
  }
  /// Whether it is known when the kernel behind a boundary begins: that is read, or the only thing
  /// it waits for is another kernel whose end is.
  [[nodiscard]] bool knowsBegin(std::uint32_t boundary) const {
    return readsBegin(boundary) ||
           (isOneBranch && boundary < edges.size() && waitsOnDevice(edges[boundary]));
  }
  /// What timeOf() added to the end of a kernel before that boundary.
  [[nodiscard]] std::int64_t gapBehind(std::uint32_t boundary) const {
    return boundary < edges.size() && waitsOnDevice(edges[boundary]) ? aroundGapNs : gapNs;
  }
  /// What `region` (of this table) ends with. If times are moved to begins, a region ends so; a
  /// node does only if its own end was not read.
  [[nodiscard]] Ends endsOf(const Region &region) const {
    return toBeginNs.empty() || (region.kind != Kind::Region && !readsBegin(region.end))
               ? Ends::Completion
               : Ends::NextBegin;
  }
  /// Of the gap behind `region`, a node of this table.
  [[nodiscard]] GapCause gapCauseOf(const Region &region) const {
    return region.alsoEnds.empty() && region.end < gapCauses.size() ? gapCauses[region.end]
                                                                    : GapCause::Unknown;
  }
  /// A new number for `layout`.
  static std::uint64_t nextLayout();
  /// The region of this node; null if there is none.
  [[nodiscard]] const Region *regionOf(driver::Node node) const;
  /// A copy in which `region` (of this table) does other work: `kernel`, if known. For a copy or
  /// memset the new size is unknown. Null if nothing changes.
  [[nodiscard]] std::shared_ptr<RegionTable> changed(const Region &region, const char *kernel,
                                                     Services &services) const;
};

/// The boundaries of a child graph.
struct BoundaryRange {
  std::uint32_t first, count;
  int depth;               ///< how many regions are open around them
  std::uint64_t structure; ///< RegionTable::structure of the child graph
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_REGIONTABLE_H
