// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a clock is: how boundaries are put into a graph, and how their times come back. Two clocks
// implement it, stamps and events. A clock knows nodes and streams; it knows nothing of regions,
// sites or outputs.

#ifndef GRAPHPROF_CLOCK_CLOCK_H
#define GRAPHPROF_CLOCK_CLOCK_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/DriverApi.h"
#include "graphprof/record.h"

namespace graphprof {

/// Where a profiled exec writes its times, several replays deep, and where they are read. One a
/// profiled exec.
///
/// Threads: bind, arm, launched and order are called by the program's threads under the pair's
/// lock; read by the harvest thread. The two sides share only what each implementation says.
class ReplayBuffer {
public:
  virtual ~ReplayBuffer() = default;

  /// Points the timing nodes of a profiled graph at this buffer, before that graph is instantiated
  /// or an exec updated from it. nodes[0] is the root, nodes[k] boundary k; final is what the
  /// clock's finish() made.
  virtual bool bind(std::span<const driver::Node> nodes, driver::Node final) = 0;
  /// An exec was instantiated from the graph of these nodes: an exec is changed through the nodes
  /// that it came from, also once it was updated from another graph.
  virtual void attach(std::span<const driver::Node> nodes, driver::Node final) = 0;

  /// Before a launch of `exec`, whose times will be read if it is `timed`. False: this launch
  /// cannot be timed at all.
  virtual bool arm(driver::Exec exec, bool timed) = 0;
  /// After a launch that the driver accepted; returns its sequence, which counts up by one.
  virtual std::uint64_t launched() = 0;
  /// Nobody will read launch `sequence`.
  virtual void skip(std::uint64_t sequence) = 0;
  /// The sequence that the next launch will get.
  [[nodiscard]] virtual std::uint64_t nextSequence() const = 0;

  /// Lets `stream` wait, on the device, until the newest launch has finished.
  virtual bool order(driver::Stream stream) = 0;

  enum class State : std::uint8_t {
    Pending, ///< not finished yet
    Ready,   ///< times are filled in
    Lost,    ///< finished, but its times are gone
  };
  /// The boundaries' times of launch `sequence`, ns since the Unix epoch; unreached marks a
  /// boundary that this replay did not reach.
  virtual State read(std::uint64_t sequence, std::span<std::int64_t> times) = 0;
  static constexpr std::int64_t unreached = INT64_MIN;

  /// Whether the newest launch has finished. Only once no more come.
  virtual bool finished() = 0;
  /// No launch is outstanding any more: what the buffer holds may go back to its pool.
  virtual void retire() = 0;
};

/// Puts boundaries into graphs under capture.
class GraphClock {
public:
  virtual ~GraphClock() = default;
  [[nodiscard]] virtual Clock kind() const = 0;

  /// Readies the clock in the current context. Safe during a capture. False: this clock cannot work
  /// here.
  virtual bool prepare() = 0;

  /// Captures the root, or a boundary, into the graph that `stream` is being captured into. It
  /// stands beside the program's nodes, none of which waits for it, nor it for one of them: Links.h
  /// says why. A boundary may wait for `previous`, the one before it in this stream or the root.
  /// Null where the driver refuses.
  virtual driver::Node captureRoot(driver::Stream stream) = 0;
  virtual driver::Node captureBoundary(driver::Stream stream, driver::Node previous) = 0;
  /// Whether what comes behind a boundary has to wait for it.
  [[nodiscard]] virtual bool holdsUp() const = 0;

  /// The same for a graph that is complete: the boundary waits for `frontier`, and may for
  /// `previous`, where that is not null.
  virtual driver::Node addRoot(driver::Graph graph) = 0;
  virtual driver::Node addBoundary(driver::Graph graph, std::span<const driver::Node> frontier,
                                   driver::Node previous) = 0;

  /// Gives a profiled graph what publishes a finished replay. `timing` are its timing nodes, by
  /// boundary; `sinks` its nodes without successors; `final` becomes the node that publishes, one
  /// of the timing nodes where that will do.
  virtual bool finish(driver::Graph profiled, std::span<const driver::Node> timing,
                      std::span<const driver::Node> sinks, driver::Node &final) = 0;

  /// A buffer for a graph of `boundaries` boundaries, root included, in the current context. Null:
  /// no memory.
  virtual std::shared_ptr<ReplayBuffer> makeBuffer(std::size_t boundaries) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CLOCK_H
