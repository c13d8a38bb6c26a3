// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a clock is: how boundaries are put into a graph, and how their times come back. Two clocks
// implement it, stamps and events. A clock knows nodes and streams; it knows nothing of regions,
// sites or outputs.

#ifndef GRAPHPROF_CLOCK_CLOCK_H
#define GRAPHPROF_CLOCK_CLOCK_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuda/DriverApi.h"
#include "graphprof/record.h"

namespace graphprof {

/// The iterations of a conditional node's body in one replay: those behind `before` up to `last`.
/// Sequences of the body's own buffer, counted on by the device.
struct Iterations {
  std::uint64_t before = 0, last = 0;
};

/// What a boundary's timing node waits for.
enum class StampEdge : std::uint8_t {
  Completion,       ///< the end of what the boundary comes behind
  LaunchCompletion, ///< the begin of the kernel behind the boundary: all of its blocks run
  Programmatic,     ///< the end of a kernel whose followers may begin before that: the timing node
                    ///< begins with them, and waits for the end on the device
  Around,           ///< the end of a kernel, at whose launch completion the boundary before hangs:
                    ///< both are one node, which waits for the end on the device
};

/// How late stamps read on a device, in ns: from what they stand for to what they say. Measured.
struct StampLags {
  std::int64_t launchNs = 0; ///< behind a kernel's begin, on its launch completion
  std::int64_t endNs = 0;    ///< behind a kernel's end, on its completion
  std::int64_t gapNs = 0;    ///< from a kernel's end, with such a stamp, to the next one's begin
  std::int64_t rootNs = 0;   ///< the first stamp's, behind the begin of what follows the root
  std::int64_t aroundNs = 0; ///< behind a kernel's end, of a node that waits around it
};

/// Which edges a clock's timing nodes may hang on.
struct EdgeSupport {
  bool launchCompletion = false, programmatic = false;
  bool around = false; ///< a node may stamp both ends of a kernel
  StampLags lags;      ///< where launchCompletion
};

struct CaptureDependencies;
class Device;

/// What a buffer is for.
struct BufferNeeds {
  std::size_t boundaries; ///< root included
  std::size_t bodies = 0; ///< of conditional nodes, whose iterations are noted
  bool ofBody = false;    ///< it is the one of such a body: nobody launches that
};

/// The timing nodes of a graph.
struct ClockNodes {
  driver::Node root;                        ///< what a replay begins with
  std::span<const driver::Node> boundaries; ///< the first may be the root
  driver::Node final;                       ///< publishes a replay; may be the last boundary
  /// By boundary; empty, or those of the last ones missing: Completion. A boundary that is Around
  /// shares its node with the one at the begin of the same kernel.
  // NOLINTNEXTLINE(readability-redundant-member-init): it may be left out
  std::span<const StampEdge> edges = {};
};

/// Where a profiled exec writes its times, several replays deep, and where they are read. One a
/// profiled exec.
///
/// Threads: bind, arm, launched and order are called by the program's threads under the pair's
/// lock; read by the harvest thread. The two sides share only what each implementation says.
class ReplayBuffer {
public:
  virtual ~ReplayBuffer() = default;

  /// Points the timing nodes of a profiled graph at this buffer, before that graph is instantiated
  /// or an exec updated from it.
  virtual bool bind(const ClockNodes &nodes) = 0;
  /// Points the timing nodes of a graph that a child node is to hold at this buffer: they are its
  /// boundaries from `first` on. `edges`: as those of ClockNodes, of these.
  virtual bool bindStamps(std::span<const driver::Node> nodes, std::size_t first,
                          std::span<const StampEdge> edges) = 0;
  /// Points a node that the clock's addCount() made at this buffer, once the others are bound: it
  /// notes the iterations of `body`, the buffer of the graph's body number `index`.
  virtual bool bindCount(driver::Node node, std::size_t index, const ReplayBuffer &body) = 0;
  /// An exec was instantiated from the graph of these nodes: an exec is changed through the nodes
  /// that it came from, also once it was updated from another graph.
  virtual void attach(const ClockNodes &nodes) = 0;

  /// Before a launch of `exec`, whose times will be read if it is `timed`. False: this launch
  /// cannot be timed at all.
  virtual bool arm(driver::Exec exec, bool timed) noexcept = 0;
  /// After a launch that the driver accepted; returns its sequence, which counts up by one. It
  /// cannot fail, since the launch has happened.
  virtual std::uint64_t launched() noexcept = 0;
  /// Nobody will read launch `sequence`.
  virtual void skip(std::uint64_t sequence) noexcept = 0;
  /// The sequence that the next launch will get.
  [[nodiscard]] virtual std::uint64_t nextSequence() const = 0;

  /// Lets `stream` wait, on the device, until the newest launch has finished.
  virtual bool order(driver::Stream stream) = 0;

  enum class State : std::uint8_t {
    Pending, ///< not finished yet
    Ready,   ///< times are filled in
    Lost,    ///< finished, but its times are gone
  };
  /// The boundaries' times of launch `sequence`, ns since the Unix epoch, and of a clock that
  /// tellsTheEnd() when the replay ended, behind them; unreached marks a boundary that this replay
  /// did not reach. In `bodies` which iterations were this launch's.
  virtual State read(std::uint64_t sequence, std::span<std::int64_t> times,
                     std::span<Iterations> bodies) = 0;
  static constexpr std::int64_t unreached = INT64_MIN;
  /// How many launches it holds: read() finds older ones lost.
  [[nodiscard]] virtual std::uint64_t depth() const = 0;

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
  /// stands beside the program's nodes, none of which waits for it, nor it for one of them, so that
  /// it can be taken out again: CaptureAlone.h. A boundary may wait for `previous`, the one before
  /// it in this stream or the root. `now` is what the stream's next node would wait for. Null where
  /// the driver refuses.
  virtual driver::Node captureRoot(driver::Stream stream, const CaptureDependencies &now) = 0;
  virtual driver::Node captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                                       driver::Node previous) = 0;
  /// Whether what comes behind a boundary has to wait for it.
  [[nodiscard]] virtual bool holdsUp() const = 0;
  /// Whether what publishes a replay tells when that was, behind all of the program's nodes; where
  /// not, it takes a boundary behind those.
  [[nodiscard]] virtual bool tellsTheEnd() const = 0;

  /// The same for a graph that is complete: the boundary waits for `frontier`. Here and below
  /// `device` is the current one: asking which that is takes two driver calls, and there are many
  /// boundaries.
  virtual driver::Node addRoot(Device &device, driver::Graph graph) = 0;
  /// The first boundary of a graph: a node behind `root`, which the program's work does not wait
  /// for, or `root` itself.
  virtual driver::Node addFirst(Device &device, driver::Graph graph, driver::Node root) = 0;
  virtual driver::Node addBoundary(Device &device, driver::Graph graph,
                                   std::span<const driver::Node> frontier) = 0;

  /// What its boundaries may hang on beside completion, on this device, the current one. The first
  /// call may take a millisecond; safe during a capture.
  virtual EdgeSupport edges(Device &device) = 0;
  /// A boundary that hangs on `edge` of `kernel`, LaunchCompletion or Programmatic, and waits for
  /// `previous`, boundaries. `isJoined`: what follows the kernel will wait for it. Null where the
  /// driver refuses.
  virtual driver::Node addAt(Device &device, driver::Graph graph, StampEdge edge, bool isJoined,
                             driver::Node kernel, std::span<const driver::Node> previous) = 0;
  /// A root that is the first boundary too, and hangs on the launch completion of `kernel`.
  virtual driver::Node addRootAt(Device &device, driver::Graph graph, bool isJoined,
                                 driver::Node kernel) = 0;

  /// Whether `node` is of those that this clock puts into graphs, as far as its kind tells.
  [[nodiscard]] virtual bool isTiming(driver::Node node) const = 0;

  /// Gives a profiled graph what publishes a finished replay. `timing` are its timing nodes, by
  /// boundary; `sinks` its nodes without successors; `final` becomes the node that publishes, one
  /// of the timing nodes where that will do.
  virtual bool finish(Device &device, driver::Graph profiled, std::span<const driver::Node> timing,
                      std::span<const driver::Node> sinks, driver::Node &final) = 0;

  /// Whether the bodies of conditional nodes take its timing nodes.
  [[nodiscard]] virtual bool timesBodies() const = 0;
  /// Whether the graphs that child nodes hold take them, where the graph around is timed in place.
  [[nodiscard]] virtual bool timesChildren() const = 0;
  /// Adds, behind `dependencies`, what notes how often a body has run. Null where the driver
  /// refuses.
  virtual driver::Node addCount(Device &device, driver::Graph graph,
                                std::span<const driver::Node> dependencies) = 0;

  /// A buffer in the current context. Null: no memory.
  virtual std::shared_ptr<ReplayBuffer> makeBuffer(const BufferNeeds &needs) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CLOCK_H
