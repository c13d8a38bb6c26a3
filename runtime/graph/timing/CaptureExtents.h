// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which nodes the regions of a finished capture contain, and so where they begin and end. A region
// of one stream lasts from where the stream was when it began to where it was when it ended. Any
// other region contains the nodes that were added while it was open, in whatever stream: it begins
// with the first of them and ends with the last.
//
// Which thread added a node is not seen. So what a thread's region contains is known only if no
// other thread has regions of its own meanwhile, apart from those of the thread that began the
// capture which are around it.

#ifndef GRAPHPROF_GRAPH_TIMING_CAPTUREEXTENTS_H
#define GRAPHPROF_GRAPH_TIMING_CAPTUREEXTENTS_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Which nodes a region contains, of those that are added while it is open.
enum class Holds : std::uint8_t {
  ItsStream, ///< those of its stream, and those that its stream waits for meanwhile
  All,       ///< all; of the thread that began the capture
  OfThread,  ///< all, if only its own thread adds some; of a thread that joined the capture
};

/// How many nodes the graph had when the region began and when it ended. Unknown while the capture
/// had one stream: then the place of the node that the stream was behind tells.
struct Added {
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  Holds holds = Holds::All;
  std::size_t first = unknown, last = unknown;
  bool inOrigin = false; ///< opened in the capture's origin, not by a thread that joined
  // NOLINTNEXTLINE(readability-redundant-member-init): a designated initializer may omit it
  std::thread::id thread = {}; ///< that opened it
};

struct CaptureFacts {
  Nodes nodes;           ///< as they were created; null: destroyed since. Empty: all that are there
  bool isEdited = false; ///< nodes were removed during the capture, so places tell nothing
  bool oneStream = false; ///< as far as was seen
  /// The nodes were there before, so that they were not counted: what a region contains is known of
  /// one stream only.
  bool isRecapture = false;
};

class CaptureExtents {
public:
  /// For the capture that made the graph of `shape`. `extents` has the frontiers of its boundaries,
  /// and gets the regions. `marks` are graphprof's nodes in the graph: if there are any, there are
  /// no other boundaries than those.
  CaptureExtents(const Shape &shape, const CaptureFacts &facts, const Nodes &marks,
                 Extents &extents);

  /// Adds the next region, which has boundaries of the capture.
  void add(const Region &region, const Added &added);
  /// Call this when all are added, with what was said of each: regions of threads that added at the
  /// same time have no time.
  void keepApart(const std::vector<Added> &added);
  /// Why regions that contain something have no time; empty: all have one.
  [[nodiscard]] std::string_view loss() const { return loss_; }

private:
  void decide(Extent &extent, const Nodes &begin, const Nodes &end);
  /// It contains something, but when is not known.
  void lose(Extent &extent, std::string_view why);
  /// How many nodes there were when a stream was behind these, if it was the only one.
  [[nodiscard]] std::size_t countBehind(const Nodes &behind) const;
  /// The places of its nodes that are still there.
  [[nodiscard]] std::vector<std::size_t> placesOf(const Extent &extent) const;
  /// Whether one node forks, apart from graphprof's.
  [[nodiscard]] bool hasBranches() const;
  /// CUDA does not promise the order in which it lists nodes. So: are all of these, which were
  /// there when the graph had `count` nodes, among the first `count`?
  [[nodiscard]] bool isInOrder(const Nodes &behind, std::size_t count) const;

  const Shape &shape_;
  Extents &extents_;
  const bool isMarked_, isEdited_;
  bool hidesStreams_ = false;        // it has several streams, but was seen to have one
  bool isUncounted_ = false;         // a recapture with several streams
  std::vector<std::size_t> numbers_; // by place: its number in Extents::captured
  std::vector<std::size_t> places_;  // by that number; none: not the program's, or not there
  std::string_view loss_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_CAPTUREEXTENTS_H
