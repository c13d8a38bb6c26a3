// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of a graph once they have boundaries: what a replay's times are read with. Plain
// data, shared by the execs that were made from the graph and by the harvest thread.

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
#include "output/data/GraphNodes.h"

namespace graphprof {

/// One region of a graph.
struct Region {
  const Site *site;
  std::vector<Value> context;
  std::string name;
  int depth;
  std::uint32_t begin;            ///< boundary
  std::uint32_t end = unfinished; ///< boundary
  static constexpr std::uint32_t unfinished =
      UINT32_MAX; ///< the scope was still open when the capture ended
  Kind kind = Kind::Region;
  driver::Node node = nullptr;           ///< of the program's, where this is one
  std::vector<std::uint32_t> alsoBehind; ///< further boundaries: it begins at the latest
};

struct RegionTable;

/// A body of a conditional node: its own regions, whose times come from its own ring. What the
/// buffer of the graph around it says are the iterations of each replay.
struct BodyTable {
  std::shared_ptr<const RegionTable> table;
  std::shared_ptr<ReplayBuffer> ring;
  std::size_t position;          ///< the graph's region that its records stand in front of
  std::uint32_t firstRegion = 0; ///< what its first region is among the graph's: behind all others
};

/// What a finished capture leaves for its replays' records; shared by every exec made from it.
struct RegionTable {
  std::uint64_t graphNumber = 0; ///< running number, from 1; 0: a body's
  std::vector<Region> regions;   ///< in capture order
  std::vector<BodyTable> bodies; ///< of its conditional nodes, by position
  std::uint32_t boundaries = 0;  ///< root included
  GraphClock *clock = nullptr;
  std::vector<StampEdge> edges; ///< by boundary; empty: all of them Completion
  /// What a time is read with where some boundaries say when the work behind them began, and others
  /// when the work before them ended: what is to be added, by boundary, to get begins of all.
  /// Empty: nothing, they are all of one kind.
  std::vector<std::int64_t> toBeginNs;
  /// By boundary, of those that hang on launch completion: the program's kernel. Others, those in
  /// child graphs among them: null. Empty: none does.
  std::vector<driver::Node> kernels;
  std::vector<bool> late; ///< by boundary: it reads nothing of use; empty: none is
  std::int64_t gapNs = 0; ///< from such an end to the begin behind it
  /// Of the profiled graph: an exec that was made of one may be updated from another only where
  /// they are built alike. The driver takes others too, and then nodes change their places.
  std::uint64_t structure = 0;
  std::uint64_t layout = 0;                ///< another for every list of regions
  std::shared_ptr<const GraphNodes> drawn; ///< null: nobody wanted it

  /// How many regions there are, with those of its bodies.
  [[nodiscard]] std::size_t allRegions() const;
  /// Sets edges, and what follows from them. `lags`: how late their stamps read.
  void setEdges(std::vector<StampEdge> all, const StampLags &lags);
  /// The time of a boundary, of those that were read: of the begin of what is behind it.
  [[nodiscard]] std::int64_t timeOf(std::uint32_t boundary,
                                    std::span<const std::int64_t> times) const {
    const std::int64_t ns = times[boundary];
    if (toBeginNs.empty() || ns == ReplayBuffer::unreached)
      return ns;
    return isLate(boundary) ? ReplayBuffer::unreached : ns + toBeginNs[boundary];
  }
  [[nodiscard]] bool isLate(std::size_t boundary) const { return !late.empty() && late[boundary]; }
  /// The boundary that hangs on the launch completion of `kernel`, a node of the program's; nullopt
  /// where none does.
  [[nodiscard]] std::optional<std::size_t> boundaryAt(driver::Node kernel) const;
  /// The same with that boundary late, or not.
  [[nodiscard]] std::shared_ptr<RegionTable> withLate(std::size_t boundary, bool isLate) const;
  /// Whether a boundary reads the begin of what is behind it, not the end of what is before.
  [[nodiscard]] bool readsBegin(std::uint32_t boundary) const {
    return boundary < edges.size() && edges[boundary] == StampEdge::LaunchCompletion;
  }
  /// What `region`, one of these, ends with: where times are moved to begins, regions end so, and a
  /// node where its own end was not read.
  [[nodiscard]] Ends endsOf(const Region &region) const {
    return toBeginNs.empty() || (region.kind != Kind::Region && !readsBegin(region.end))
               ? Ends::Completion
               : Ends::NextBegin;
  }
  /// A number for `layout`.
  static std::uint64_t nextLayout();
  /// The region that is `node`; null where it is none.
  [[nodiscard]] const Region *regionOf(driver::Node node) const;
  /// The same, where `region` (one of these) does something else: `kernel` where that is known, of
  /// a copy or memset it is not known how much it moves now. Null where that changes nothing.
  [[nodiscard]] std::shared_ptr<RegionTable> changed(const Region &region,
                                                     const char *kernel) const;
};

/// Boundaries that belong together: a child graph's.
struct BoundaryRange {
  std::uint32_t first, count;
  int depth;               ///< how many regions stand around them
  std::uint64_t structure; ///< RegionTable::structure of the child graph
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_REGIONTABLE_H
