// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is timed: GPU work that is issued to a stream, cut into regions that follow one another
// without a gap. A workload knows nothing of how regions are timed.

#ifndef GRAPHPROF_BENCHMARK_WORKLOAD_H
#define GRAPHPROF_BENCHMARK_WORKLOAD_H

#include <functional>
#include <memory>
#include <string>

#include <cuda_runtime.h>

namespace benchmark {

/// Issues a region's work to the workload's stream.
using Work = std::function<void()>;

/// Receives a workload's regions, in order. It issues each region's work.
class RegionVisitor {
public:
  virtual ~RegionVisitor() = default;
  virtual void region(int index, const Work &work) = 0;
};

class Workload {
public:
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual int regions() const = 0;

  /// Such as "layer 3 qkv".
  [[nodiscard]] virtual std::string regionName(int index) const = 0;

  /// Issues everything to `stream`, each region through `visitor`. May be called any number of
  /// times, also while the stream is being captured.
  virtual void issue(cudaStream_t stream, RegionVisitor &visitor) const = 0;

  /// Whether a launch is one of two execs of it at once, each in a stream of its own. Then what
  /// techniques read is left alone: the records of both are mixed.
  [[nodiscard]] virtual bool runsTwiceAtOnce() const { return false; }
};

/// How long to spin for a kernel of a chain to take a given time: the line through two points.
/// Below it lies what a kernel takes that does nothing.
struct ChainCalibration {
  int blocks;             ///< of each kernel: one a multiprocessor
  long long cyclesAtZero; ///< negative
  double cyclesPerUs;
};
ChainCalibration calibrateChain();

/// A chain of `kernels` equal kernels, every kernel a region, each of about `us` microseconds from
/// the end of the kernel before to its own end. Not below what an empty kernel takes there.
std::unique_ptr<Workload> makeChain(int kernels, double us, const ChainCalibration &calibration);

/// The same with `blocks` blocks a kernel.
std::unique_ptr<Workload> makeChainOf(int blocks, int kernels, double us,
                                      const ChainCalibration &calibration);

/// A chain of `kernels` kernels with programmatic edges: each lets the next begin when it begins
/// itself, and waits for the one before in its middle.
std::unique_ptr<Workload> makeProgrammaticChain(int kernels);

/// A chain of kernels of 2 us, each between a node that waits for an event and one that records it,
/// as NCCL captures its collectives.
std::unique_ptr<Workload> makeChainWithEvents(int kernels, const ChainCalibration &calibration);

/// Layers of a tensor-parallel model as PyTorch and NCCL capture them: two kernels of work, a
/// collective of four blocks, a scale, each of 2 us. The first collective waits for an external
/// event, each records one behind itself, and each waits for the record of the one before.
std::unique_ptr<Workload> makeCollectives(int layers, const ChainCalibration &calibration);

/// A chain of `kernels` kernels of 2 us and a few blocks, and at once another exec of it in another
/// stream.
std::unique_ptr<Workload> makeTwoAtOnce(int kernels, const ChainCalibration &calibration);

/// `lanes` chains of kernels beside each other, forked from one kernel and joined in one: every
/// region is a step of all of them, and ends where each lane goes on by itself.
std::unique_ptr<Workload> makeLanes(int lanes, int steps, const ChainCalibration &calibration);

/// One decode step of a transformer of 32 layers with the shapes of a 7B model in fp16, the share
/// of one of two tensor-parallel ranks: 8 regions a layer, cuBLAS matrix-vector products and small
/// kernels. Throws where there is no cuBLAS.
std::unique_ptr<Workload> makeDecodeStep();

/// A solver of Poisson's equation on a grid of 2048 x 2048: ten sweeps of Jacobi's method, each a
/// sweep, the grid's edges, and every other time the residual: 25 regions.
std::unique_ptr<Workload> makeStencil();

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_WORKLOAD_H
