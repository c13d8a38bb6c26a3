// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A way to time the regions of a CUDA graph. A technique sees the regions during capture, launches
// the graph, and then reports how long each region took. It does not know what the regions do.

#ifndef GRAPHPROF_BENCHMARK_TECHNIQUE_H
#define GRAPHPROF_BENCHMARK_TECHNIQUE_H

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "workload.h"

namespace benchmark {

/// The base class times nothing, and is what others are compared with. Others override the steps in
/// which they differ.
class Technique : public RegionVisitor {
public:
  explicit Technique(std::string name) : name_(std::move(name)) {}
  Technique(const Technique &) = delete;
  Technique &operator=(const Technique &) = delete;
  ~Technique() override;

  [[nodiscard]] const std::string &name() const { return name_; }
  /// The number of nodes of the graph when it is instantiated.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

  /// Captures the workload on `stream` and instantiates the graph. Called once, before the
  /// following functions.
  virtual void prepare(const Workload &workload, cudaStream_t stream);

  /// Called around launches whose times count, for techniques that must be switched on and off. The
  /// GPU is idle.
  virtual void switchOn() {}
  virtual void switchOff() {}

  /// Launches the workload: one exec, or two at once where the workload says so.
  void launch();

  /// The microseconds of each region: a row for each of the latest replays that can still be read,
  /// the last launch last. None if the technique times nothing. The GPU is idle, and `launches`
  /// launches were made since switchOn().
  virtual std::vector<std::vector<double>> readings(int launches);

  /// For the same replays, the times between the begins of regions: from the begin of a region's
  /// first work to the begin of the next work. None if the technique does not know them.
  virtual std::vector<std::vector<double>> readingsOfBegins();
  /// For each region, whether readings() are times between begins, too. Others are times between
  /// ends of work. If empty, all are.
  virtual std::vector<char> areOfBegins() { return {}; }

  /// Whether true times can be inferred from the readings. If so, the readings are too long only by
  /// what the technique adds to a replay, of which each region, or each node of the work, has an
  /// equal share.
  enum class Reference { None, LessShareOfRegion, LessShareOfNode };
  [[nodiscard]] virtual Reference reference() const { return Reference::None; }

  /// The number of measured replays without readings.
  [[nodiscard]] virtual long lostReplays() const { return 0; }

  /// The number of nodes of each region's work, without event nodes.
  [[nodiscard]] const std::vector<std::size_t> &workNodes() const { return workNodes_; }

  void region(int index, const Work &work) final;

protected:
  /// Called before the capture.
  virtual void makeRoom(int regions);
  virtual void beginCapture();
  /// Calls `work` once, and issues before and after it what times the region.
  virtual void time(int index, const Work &work);
  virtual cudaGraph_t endCapture();
  virtual cudaGraphExec_t instantiate(cudaGraph_t graph);
  virtual void launchExec(cudaGraphExec_t exec, cudaStream_t stream);

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// For techniques that destroy their graph and execs themselves.
  cudaGraph_t takeGraph() { return std::exchange(graph_, nullptr); }
  std::vector<cudaGraphExec_t> takeExecs() { return std::exchange(execs_, {}); }

private:
  std::string name_;
  std::size_t nodes_ = 0;
  std::vector<std::size_t> workNodes_;
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;        // owned; kept because events and nodes may belong to it
  std::vector<cudaGraphExec_t> execs_; // owned; two of a workload that runs twice at once
  // For the second exec; owned.
  cudaStream_t secondStream_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
};

/// The current point of a capture: the graph, and the nodes that the next captured work follows.
struct Frontier {
  cudaGraph_t graph = nullptr;
  std::vector<cudaGraphNode_t> nodes;

  static Frontier of(cudaStream_t capturing);
};

// External events in the captured stream: a pair around each region, as in the seed, or one where
// two regions meet.
std::unique_ptr<Technique> makeEventsPerRegion();
std::unique_ptr<Technique> makeSharedEvents();

// Timestamp kernels, which write the device's %globaltimer to pinned host memory. In the chain, the
// following work waits for them. On a side chain, only the next stamp waits, and each stamp is
// created right after its region's work. Variants of the side chain: the work waits for a first
// node that begins the replay; each replay prepares the next one; all stamps are created when the
// work is complete; the graph is rebuilt when the work is complete, with each stamp right after its
// region's work; the chain restarts at the root every 8 or 32 regions. Leaves only wait for their
// region's work, and are created when the work is complete.
std::unique_ptr<Technique> makeStampsInChain();
std::unique_ptr<Technique> makeSideChain();
std::unique_ptr<Technique> makeSideChainRooted();
std::unique_ptr<Technique> makeSideChainReady();
std::unique_ptr<Technique> makeSideChainAppended();
std::unique_ptr<Technique> makeSideChainRebuilt();
std::unique_ptr<Technique> makeSideChainsOf8();
std::unique_ptr<Technique> makeSideChainsOf32();
std::unique_ptr<Technique> makeStampsAsLeaves();

/// The untimed graph in a process that also has `count` graphs timed by `make`, which were
/// instantiated and launched, but not during a measurement.
std::unique_ptr<Technique> makeUntimedAmong(int count, std::unique_ptr<Technique> (*make)());

/// graphprof with the clock of GRAPHPROF_CLOCK: recording, or stopped.
std::unique_ptr<Technique> makeGraphprofRecording();
std::unique_ptr<Technique> makeGraphprofIdle();
/// The same with GRAPHPROF_EDGES=completion, which the environment sets.
std::unique_ptr<Technique> makeGraphprofAtCompletion();

/// CUPTI's kernel records, which Kineto and Nsight use. CUPTI is attached to the process from the
/// construction on, and records while switched on. Throws if libcupti.so.13 is not found.
std::unique_ptr<Technique> makeCupti();

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_TECHNIQUE_H
