// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which regions may hold which nodes of a capture: those that were open, in a node's own stream,
// when it was captured. The graph itself does not tell: what a stream waited for in a region comes
// before the region's end, as what was captured in it does.
//
// A lane is what one stream captures. It is forked where a stream that was not in the capture waits
// for an event of one that is, and again where it waits for something that all of its own came
// before: what it captures from then on is in the regions of the lane that it was forked from, too.
//
// It is told of each region's begin and end and of each wait that is seen. Of streams that wait
// unseen, in code that is not instrumented, it does not know from where they were forked: then it
// takes all open regions for possible.
//
// Knows no clock and no driver. Its registry's lock guards it.

#ifndef GRAPHPROF_GRAPH_TIMING_LANES_H
#define GRAPHPROF_GRAPH_TIMING_LANES_H

#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "graph/topology/Shape.h"

namespace graphprof {

/// What a finished capture's lanes say of its nodes.
class OpenAtCapture {
public:
  /// May `node` be in `region`? Yes, where nothing is known of it.
  [[nodiscard]] bool mayHold(std::size_t region, driver::Node node) const;
  void forget(driver::Node node) { segments_.erase(node); }
  /// The same, of a clone; `inClone` finds its nodes.
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
  /// Of a capture that began in `origin`, which then stood behind `behind`.
  Lanes(driver::Stream origin, Nodes behind);
  /// The same graph is captured into once more.
  void resume(driver::Stream origin);

  /// `stream` stands behind `behind`.
  void observe(driver::Stream stream, Nodes behind);
  /// A region begins or ends there.
  void opened(std::size_t region, driver::Stream stream, Nodes behind);
  void closed(std::size_t region, driver::Stream stream, Nodes behind);
  /// The region that was opened last is taken back.
  void discarded(std::size_t region);
  /// `stream` waited for an event, and stands behind `behind` now, when the graph has `created`
  /// nodes. What it stood behind before, and the streams of openOnes(), have been observed.
  void waited(driver::Stream stream, Nodes behind, std::size_t created);
  /// The origin and the streams with open regions: they are there still, others may be destroyed.
  [[nodiscard]] std::vector<driver::Stream> openOnes() const;
  /// The regions that are open in `stream`, in the order in which they began.
  [[nodiscard]] std::vector<std::size_t> openIn(driver::Stream stream) const;
  /// `node` is about to be destroyed; its handle may be given out again.
  void nodeGoes(driver::Node node);

  /// The capture has ended with a graph of `shape`.
  [[nodiscard]] OpenAtCapture resolve(const Shape &shape) const;

private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  enum class What : std::uint8_t { Seen, Opened, Closed, Waited };
  struct Event {
    What what;
    std::size_t lane;
    std::size_t region; // opened or closed
    Nodes behind;
    std::size_t created = 0; // Waited: how many nodes there were
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
  std::vector<std::size_t> origins_; // lanes that were not forked
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_LANES_H
