// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A way to time the regions of a CUDA graph. Each sees the regions go by during capture, launches
// the graph, and says afterwards how long each region took in the last replay. It knows nothing of
// what the regions do.

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

/// The base times nothing: it is what the others are compared with. Those override the steps where
/// they differ.
class Technique : public RegionVisitor {
public:
  explicit Technique(std::string name) : name_(std::move(name)) {}
  Technique(const Technique &) = delete;
  Technique &operator=(const Technique &) = delete;
  ~Technique() override;

  [[nodiscard]] const std::string &name() const { return name_; }
  /// Nodes of the graph as the program sees it when it is instantiated.
  [[nodiscard]] std::size_t nodes() const { return nodes_; }

  /// Captures the workload on `stream` and instantiates the graph. Called once, before what
  /// follows.
  virtual void prepare(const Workload &workload, cudaStream_t stream);

  /// Enclose launches whose times count, for what must be switched on and off. The GPU is idle.
  virtual void switchOn() {}
  virtual void switchOff() {}

  /// Launches the workload: one exec, or two at once where the workload says so.
  void launch();

  /// Microseconds that each region took: a row for each of the latest replays that can still be
  /// read, the last launched last; none where the technique times nothing. The GPU is idle, and
  /// switchOn() was `launches` launches ago.
  virtual std::vector<std::vector<double>> readings(int launches);

  /// Of the same replays what lies between the begins of regions: from that of a region's first
  /// work to that of the work behind it. None where the technique does not know.
  virtual std::vector<std::vector<double>> readingsOfBegins();
  /// By region, whether readings() are such too. The others, all where this is empty, lie between
  /// the ends of work.
  virtual std::vector<char> areOfBegins() { return {}; }

  /// Whether its readings show where the truth is: they are off by what the technique adds to a
  /// replay, and by nothing else. Each region has an equal share in that, or each node of the work.
  enum class Reference { None, LessShareOfRegion, LessShareOfNode };
  [[nodiscard]] virtual Reference reference() const { return Reference::None; }

  /// Measured replays of which no readings came.
  [[nodiscard]] virtual long lostReplays() const { return 0; }

  /// How many nodes each region's work has, event nodes aside.
  [[nodiscard]] const std::vector<std::size_t> &workNodes() const { return workNodes_; }

  void region(int index, const Work &work) final;

protected:
  /// Runs before the capture.
  virtual void makeRoom(int regions);
  virtual void beginCapture();
  /// Calls `work` once, and before and after it issues what takes the region's time.
  virtual void time(int index, const Work &work);
  virtual cudaGraph_t endCapture();
  virtual cudaGraphExec_t instantiate(cudaGraph_t graph);
  virtual void launchExec(cudaGraphExec_t exec, cudaStream_t stream);

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// For a technique that destroys its graph and execs in a way of its own.
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

/// The point that a capture has reached: the graph, and the nodes that whatever is captured next
/// would follow.
struct Frontier {
  cudaGraph_t graph = nullptr;
  std::vector<cudaGraphNode_t> nodes;

  static Frontier of(cudaStream_t capturing);
};

// External events, in the captured stream: a pair around each region, as in the seed; or one where
// two regions meet.
std::unique_ptr<Technique> makeEventsPerRegion();
std::unique_ptr<Technique> makeSharedEvents();

// Timestamp kernels, which write the device's %globaltimer to pinned host memory. In the chain the
// work behind them waits for them. On a side chain nothing does but the next of them, and each is
// created right behind its region's work. Variants: the work waits for a first node that begins the
// replay; each replay leaves everything ready for the next; all are created when the work is
// complete; the graph is built anew when the work is complete, each of them again right behind its
// region's work; the chain begins anew at the root every 8 or 32 regions. Leaves wait for their
// region's work alone and are created when the work is complete.
std::unique_ptr<Technique> makeStampsInChain();
std::unique_ptr<Technique> makeSideChain();
std::unique_ptr<Technique> makeSideChainRooted();
std::unique_ptr<Technique> makeSideChainReady();
std::unique_ptr<Technique> makeSideChainAppended();
std::unique_ptr<Technique> makeSideChainRebuilt();
std::unique_ptr<Technique> makeSideChainsOf8();
std::unique_ptr<Technique> makeSideChainsOf32();
std::unique_ptr<Technique> makeStampsAsLeaves();

/// The untimed graph, while the process also has `count` graphs that `make` times: instantiated and
/// launched, but not while anything is measured.
std::unique_ptr<Technique> makeUntimedAmong(int count, std::unique_ptr<Technique> (*make)());

/// graphprof, with the clock that GRAPHPROF_CLOCK names: recording, or idle, that is stopped.
std::unique_ptr<Technique> makeGraphprofRecording();
std::unique_ptr<Technique> makeGraphprofIdle();
/// The same with GRAPHPROF_EDGES=completion, which the environment says.
std::unique_ptr<Technique> makeGraphprofAtCompletion();

/// CUPTI's records of kernels, as Kineto and Nsight use them. CUPTI is attached to the process from
/// the making on, and records while switched on. Throws where libcupti.so.13 is not found.
std::unique_ptr<Technique> makeCupti();

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_TECHNIQUE_H
