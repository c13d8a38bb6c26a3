// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The interface of a clock: how it puts boundaries into a graph, and how their times come back.
// Stamps and events implement it. A clock knows nodes and streams, but no regions, sites or
// outputs.

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

/// The iterations of a conditional node's body in one replay: those after `before`, up to `last`.
/// These are sequences of the body's own buffer, which the device counts.
struct Iterations {
  std::uint64_t before = 0, last = 0;
};

/// What a boundary's timing node waits for.
enum class StampEdge : std::uint8_t {
  Completion,       ///< the end of the work before the boundary
  LaunchCompletion, ///< the begin of the kernel behind the boundary, when all its blocks run
  Programmatic,     ///< the end of a kernel whose followers may begin earlier: the timing node
                    ///< begins with them, and waits on the device for that end
  BeforeSuccessor,  ///< the end of the work before the boundary; the kernel behind the boundary
                    ///< waits until the timing node has begun
  SharedWithBegin,  ///< the end of a kernel whose launch completion the previous boundary waits
                    ///< for: one node is both, and waits on the device for that end
  WaitsBeside,      ///< the same, with a node of its own: no boundary reads that kernel's begin
};

/// Whether the timing node is on the device while the kernel runs whose end it reads.
constexpr bool waitsOnDevice(StampEdge edge) {
  return edge == StampEdge::SharedWithBegin || edge == StampEdge::WaitsBeside;
}

/// How late stamps read on a device, in ns. Measured.
struct StampLags {
  std::int64_t launchNs = 0; ///< after a kernel's begin, with a stamp on its launch completion
  std::int64_t endNs = 0;    ///< after a kernel's end, with a stamp on its completion
  std::int64_t gapNs = 0;    ///< from a kernel's end, with such a stamp, to the next kernel's begin
  std::int64_t rootNs = 0;   ///< of the first stamp, after the begin of the root's followers
  std::int64_t aroundNs = 0; ///< after a kernel's end, with a node that waitsOnDevice()
  std::int64_t aroundGapNs = 0; ///< from a kernel's end, with such a node, to the next one's begin
  std::int64_t lastNs = 0;      ///< as aroundNs, where that node is the last, which publishes
};

/// Which edges the timing nodes of a clock may use.
struct EdgeSupport {
  bool launchCompletion = false;
  bool programmatic = false; ///< Programmatic and BeforeSuccessor
  bool around = false;       ///< SharedWithBegin and WaitsBeside
  StampLags lags;            ///< if launchCompletion
};

struct CaptureDependencies;
class Deadline;
class Device;
class Devices;

/// Which warps of a kernel's timed twin write (graphprof/device/recording.h).
struct WarpPlan {
  unsigned warps = 0;         ///< in all of the grid
  unsigned everyBlock = 1;    ///< of the blocks with a number that this divides
  unsigned warpsPerBlock = 1; ///< the first ones of such a block
  unsigned parameters = 0;    ///< of the kernel; its twin has one more, before them
};

/// What one warp of a twin wrote in one replay.
struct WarpReading {
  unsigned block = 0, warp = 0; ///< the block in its grid, the warp in its block
  unsigned multiprocessor = 0;
  std::uint64_t beginNs = 0, endNs = 0; ///< of the device's timer
  unsigned beginClock = 0;              ///< of the multiprocessor's clock, its lower half
  unsigned cycles = 0;                  ///< from the begin to the end, modulo 2^32
  unsigned beyond = 0;                  ///< entries that found no room
  struct Entry {
    unsigned time; ///< of the same clock
    unsigned what; ///< a scope's number, or device::scopeEnd
  };
  std::vector<Entry> entries; ///< in order
};

/// The nodes of a profiled graph that have to do with kernels' twins.
struct TwinNodes {
  std::vector<driver::Node> twins;
  driver::Node publishing = nullptr; ///< behind all others but the final node; null: no twins
};

/// What a buffer is for.
struct BufferNeeds {
  std::size_t boundaries; ///< including the root
  std::size_t bodies = 0; ///< conditional nodes' bodies, whose iterations are noted
  bool ofBody = false;    ///< the buffer of such a body, which is never launched by itself
  std::size_t nodes = 0;  ///< of the graph; 0: the last timing node may have one thread
  // NOLINTBEGIN(readability-redundant-member-init): they may be left out
  std::vector<WarpPlan> twins = {}; ///< of the kernels' twins
  unsigned entriesPerWarp = 0;      ///< of a twin
  // NOLINTEND(readability-redundant-member-init)
};

/// The timing nodes of a graph.
struct ClockNodes {
  driver::Node root;                        ///< the first node of a replay
  std::span<const driver::Node> boundaries; ///< the first one may be the root
  driver::Node final;                       ///< publishes a replay; may be the last boundary
  /// The edge of each boundary. Missing entries at the end are Completion. A SharedWithBegin
  /// boundary shares its node with the boundary at the begin of the same kernel.
  // NOLINTNEXTLINE(readability-redundant-member-init): it may be left out
  std::span<const StampEdge> edges = {};
  const TwinNodes *twins = nullptr; ///< null: no kernel has one
};

/// Where a profiled exec writes the times of its last replays, and where they are read. Each
/// profiled exec has one.
///
/// Threads: the program's threads call bind, arm, launched and order under the pair's lock; the
/// harvest thread calls read. Each implementation says what the two sides share.
class ReplayBuffer {
public:
  virtual ~ReplayBuffer() = default;

  /// Points the timing nodes of a profiled graph at this buffer. Call it before the graph is
  /// instantiated, or an exec is updated from it.
  virtual bool bind(const ClockNodes &nodes) = 0;
  /// Points the timing nodes of a graph that a child node will hold at this buffer. They are
  /// boundaries `first` and following. `edges`: as in ClockNodes, for these nodes.
  virtual bool bindStamps(std::span<const driver::Node> nodes, std::size_t first,
                          std::span<const StampEdge> edges) = 0;
  /// Points a node of the clock's addCount() at this buffer. It notes the iterations of `body`, the
  /// buffer of body number `index`. Call it after the other nodes are bound.
  virtual bool bindCount(driver::Node node, std::size_t index, const ReplayBuffer &body) = 0;
  /// Call this after an exec was instantiated from the graph of these nodes. The exec's nodes are
  /// changed through them, even after an update from another graph.
  virtual void attach(const ClockNodes &nodes) = 0;

  /// Call this before a launch of `exec`. If `timed`, its times will be read. Returns false if this
  /// launch cannot be timed at all.
  virtual bool arm(driver::Exec exec, bool timed) noexcept = 0;
  /// Call this after the driver accepted the launch. Returns its sequence, which increases by one.
  /// Cannot fail, because the launch has happened.
  virtual std::uint64_t launched() noexcept = 0;
  /// Nobody will read the launch with this sequence.
  virtual void skip(std::uint64_t sequence) noexcept = 0;
  /// The sequence of the next launch.
  [[nodiscard]] virtual std::uint64_t nextSequence() const = 0;

  /// Makes `stream` wait, on the device, until the newest launch has finished.
  virtual bool order(driver::Stream stream) = 0;

  enum class State : std::uint8_t {
    Pending, ///< not finished yet
    Ready,   ///< times are filled in
    Lost,    ///< finished, but its times are lost
  };
  /// Reads the boundaries' times of a launch, in ns since the Unix epoch. If the clock
  /// reportsEnd(), the replay's end follows them. `unreached` marks a boundary that this replay
  /// did not reach. Fills `bodies` with this launch's iterations.
  virtual State read(std::uint64_t sequence, std::span<std::int64_t> times,
                     std::span<Iterations> bodies) = 0;
  static constexpr std::int64_t unreached = INT64_MIN;
  /// How far a launch has come.
  enum class Progress : std::uint8_t {
    NotBegun,
    Begun,    ///< the times that are there are filled in
    Finished, ///< or overwritten by a later launch
    Unknown,  ///< it cannot be read before the launch has finished
  };
  /// Looks at a launch that may be in flight. Fills `times` as read() does, with what is there. May
  /// copy from the device, and so call CUDA, until `deadline`. Not for a body.
  virtual Progress look(std::uint64_t sequence, std::span<std::int64_t> times, Deadline &deadline) {
    (void)sequence, (void)times, (void)deadline;
    return Progress::Unknown;
  }
  /// Adds to `into` what the warps of twin number `twin` wrote in that launch, once read() was
  /// Ready. Returns how many of its warps' writing is lost.
  virtual std::size_t readWarps(std::uint64_t sequence, std::size_t twin,
                                std::vector<WarpReading> &into) {
    (void)sequence, (void)twin, (void)into;
    return 0;
  }
  /// What WarpReading's times of the device's timer are, in ns since the Unix epoch.
  [[nodiscard]] virtual std::int64_t hostNs(std::uint64_t deviceNs) {
    return static_cast<std::int64_t>(deviceNs);
  }
  /// How many launches it holds; older ones are lost.
  [[nodiscard]] virtual std::uint64_t depth() const = 0;

  /// Whether the newest launch has finished. Call it only after the last launch.
  virtual bool finished() = 0;
  /// No launch is outstanding any more: gives what the buffer holds back to its pool.
  virtual void retire() = 0;
};

/// Puts boundaries into graphs under capture.
class GraphClock {
public:
  /// For graphs on these devices, which outlive it.
  explicit GraphClock(Devices &devices) noexcept : devices_(devices) {}
  virtual ~GraphClock() = default;
  GraphClock(const GraphClock &) = delete;
  GraphClock &operator=(const GraphClock &) = delete;
  [[nodiscard]] virtual Clock kind() const = 0;
  /// The device of this thread's current context, or null without one.
  [[nodiscard]] Device *currentDevice() const;

  /// Prepares the clock in the current context. Safe during a capture. Returns false if this clock
  /// cannot work here.
  virtual bool prepare() = 0;

  /// Captures the root, or a boundary, into the graph that `stream` is capturing. No node of the
  /// program waits for it, and it waits for none of them, so it can be removed again
  /// (ExclusiveCapture.h). A boundary may wait for `previous`: the stream's last boundary, or the
  /// root. `now` is what the stream's next node would wait for. Returns null if the driver refuses.
  virtual driver::Node captureRoot(driver::Stream stream, const CaptureDependencies &now) = 0;
  virtual driver::Node captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                                       driver::Node previous) = 0;
  /// Whether the work behind a boundary must wait for it.
  [[nodiscard]] virtual bool blocksFollowers() const = 0;
  /// Whether the node that publishes a replay also tells the replay's end, behind all nodes of the
  /// program. If not, the end needs a boundary.
  [[nodiscard]] virtual bool reportsEnd() const = 0;

  /// The clock for graphs whose work must not wait for a kernel of ours, not even for its place on
  /// the device: its timing nodes are no kernels. Null: there is none.
  [[nodiscard]] virtual GraphClock *withoutKernels() const { return nullptr; }

  /// Adds the root, or a boundary that waits for `frontier`, to a complete graph. `device` is the
  /// current device, here and below: asking for it takes two driver calls, and there are many
  /// boundaries. `threads`, here and below: in the block of the node, if it is a kernel.
  virtual driver::Node addRoot(Device &device, driver::Graph graph, unsigned threads) = 0;
  /// The first boundary of a graph: `root` itself, or a node behind it for which the program's work
  /// does not wait.
  virtual driver::Node addFirst(Device &device, driver::Graph graph, driver::Node root) = 0;
  virtual driver::Node addBoundary(Device &device, driver::Graph graph,
                                   std::span<const driver::Node> frontier, unsigned threads) = 0;

  /// What else than completion its boundaries may wait for on `device`, the current device. The
  /// first call may take a millisecond. Safe during a capture.
  virtual EdgeSupport edges(Device &device) = 0;
  /// Adds a boundary on `edge` of `kernel` (LaunchCompletion or Programmatic) that also waits for
  /// the boundaries `previous`. `isJoined`: what follows the kernel will wait for the boundary.
  /// Returns null if the driver refuses.
  virtual driver::Node addAt(Device &device, driver::Graph graph, StampEdge edge, bool isJoined,
                             driver::Node kernel, std::span<const driver::Node> previous,
                             unsigned threads) = 0;
  /// Adds a root on the launch completion of `kernel`. It is also the first boundary.
  virtual driver::Node addRootAt(Device &device, driver::Graph graph, bool isJoined,
                                 driver::Node kernel, unsigned threads) = 0;

  /// Whether this clock may have made `node`, as far as the node's type tells.
  [[nodiscard]] virtual bool isTiming(driver::Node node) const = 0;

  /// Adds to a profiled graph what publishes a finished replay. `timing`: its timing nodes, by
  /// boundary. `sinks`: its nodes without successors. `final` becomes the publishing node, which
  /// may be one of the timing nodes.
  virtual bool finish(Device &device, driver::Graph profiled, std::span<const driver::Node> timing,
                      std::span<const driver::Node> sinks, driver::Node &final) = 0;

  /// Whether a graph that it times may run kernels' twins.
  [[nodiscard]] virtual bool takesTwins() const { return false; }
  /// Adds, behind `sinks`, what publishes what kernels' twins wrote. Returns null if the driver
  /// refuses.
  virtual driver::Node addTwinsEnd(Device &device, driver::Graph profiled,
                                   std::span<const driver::Node> sinks) {
    (void)device, (void)profiled, (void)sinks;
    return nullptr;
  }

  /// Whether bodies of conditional nodes may contain its timing nodes.
  [[nodiscard]] virtual bool timesBodies() const = 0;
  /// Whether child nodes' graphs may contain them if the graph around is timed in place.
  [[nodiscard]] virtual bool timesChildren() const = 0;
  /// Adds, behind `dependencies`, a node that notes how often a body has run. Returns null if the
  /// driver refuses.
  virtual driver::Node addCount(Device &device, driver::Graph graph,
                                std::span<const driver::Node> dependencies) = 0;

  /// Makes a buffer in the current context. Null: no memory.
  virtual std::shared_ptr<ReplayBuffer> makeBuffer(const BufferNeeds &needs) = 0;

private:
  Devices &devices_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CLOCK_H
