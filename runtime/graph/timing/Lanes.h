// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which regions may contain which nodes of a capture: those that were open in a node's own stream
// when it was captured. The edges alone do not tell: if a stream in a region waits for other work,
// that work comes before the region's end, like the region's own nodes.
//
// A lane is what one stream captures. It forks from another lane when a stream outside the capture
// waits for an event of a stream inside. It forks again when it waits for something that comes
// after all of its own nodes. What it captures after a fork is also in the regions of the lane that
// it forked from.
//
// It is told of each region's begin and end, and of each wait that is seen. If a stream waits in
// code that is not instrumented, its fork is unknown; then all open regions are possible.
//
// Knows no clock and no driver. The registry's lock guards it.

#ifndef GRAPHPROF_GRAPH_TIMING_LANES_H
#define GRAPHPROF_GRAPH_TIMING_LANES_H

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/topology/Shape.h"

namespace graphprof {

/// What the lanes of a finished capture say about its nodes.
class OpenAtCapture {
public:
  /// May `node` be in `region`? True if nothing is known of the node.
  [[nodiscard]] bool mayHold(std::size_t region, driver::Node node) const;
  void forget(driver::Node node) { segments_.erase(node); }
  /// The same for a clone. `inClone` finds its nodes.
  template <class InClone> [[nodiscard]] OpenAtCapture cloned(InClone inClone) const {
    OpenAtCapture clone;
    clone.regions_ = regions_;
    for (const auto &[node, segment] : segments_)
      clone.segments_.emplace(inClone(node), segment);
    return clone;
  }

private:
  friend class Lanes;
  std::unordered_map<driver::Node, std::uint32_t> segments_;
  std::vector<std::vector<std::size_t>> regions_; // by segment
};

class Lanes {
public:
  /// A capture began in `origin`, which was behind `behind` then.
  Lanes(driver::Stream origin, Nodes behind);
  /// The same graph is captured into again.
  void resume(driver::Stream origin);

  /// `stream` is behind `behind` now.
  void observe(driver::Stream stream, Nodes behind);
  /// A region begins or ends there.
  void opened(std::size_t region, driver::Stream stream, Nodes behind);
  void closed(std::size_t region, driver::Stream stream, Nodes behind);
  /// Removes the region that was opened last.
  void discarded(std::size_t region);
  /// `stream` waited for an event and is behind `behind` now; the graph has `created` nodes. Its
  /// earlier position, and those of the streams of openOnes(), must have been observed before.
  void waited(driver::Stream stream, Nodes behind, std::size_t created);
  /// The origin and the streams with open regions. These still exist; others may be destroyed.
  [[nodiscard]] std::vector<driver::Stream> openOnes() const;
  /// The regions that are open in `stream`, in the order in which they began.
  [[nodiscard]] std::vector<std::size_t> openIn(driver::Stream stream) const;
  /// `node` is about to be destroyed. Its handle may be reused.
  void nodeGoes(driver::Node node);

  /// The capture has ended with the graph of `shape`.
  [[nodiscard]] OpenAtCapture resolve(const Shape &shape) const;

private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  enum class What : std::uint8_t { Seen, Opened, Closed, Waited };
  struct Event {
    What what;
    std::size_t lane;
    std::size_t region; // opened or closed
    Nodes behind;
    std::size_t created = 0; // Waited: how many nodes existed
  };
  struct Open {
    std::size_t region, lane;
  };
  class Resolution;

  std::size_t laneOf(driver::Stream stream);

  std::unordered_map<driver::Stream, std::size_t> lanes_;
  std::size_t laneCount_ = 0;
  std::vector<Event> events_;
  std::unordered_map<std::size_t, driver::Stream> open_; // by region
  driver::Stream origin_;
  std::vector<std::size_t> origins_; // lanes that did not fork from another one
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_LANES_H
