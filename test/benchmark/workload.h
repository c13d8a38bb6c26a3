// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timed work: GPU work in a stream, divided into consecutive regions without gaps. A workload
// does not know how regions are timed.

#ifndef GRAPHPROF_BENCHMARK_WORKLOAD_H
#define GRAPHPROF_BENCHMARK_WORKLOAD_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace benchmark {

/// Issues a region's work to the workload's stream.
using Work = std::function<void()>;

/// Receives a workload's regions in order, and issues each region's work.
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

  /// For example "layer 3 qkv".
  [[nodiscard]] virtual std::string regionName(int index) const = 0;

  /// Issues all work to `stream`, each region through `visitor`. Can be called any number of times,
  /// also during a capture.
  virtual void issue(cudaStream_t stream, RegionVisitor &visitor) const = 0;

  /// Whether a launch is one of two execs of it at once, each in a stream of its own. Then what
  /// techniques read is left alone: the records of both are mixed.
  [[nodiscard]] virtual bool runsTwiceAtOnce() const { return false; }
};

/// Computes the cycles to spin for a given kernel time: a line through two points. An empty kernel
/// is the lower limit.
struct ChainCalibration {
  int blocks;             ///< of each kernel: one a multiprocessor
  long long cyclesAtZero; ///< negative
  double cyclesPerUs;
};
ChainCalibration calibrateChain();

/// A chain of `kernels` equal kernels, each a region of about `us` microseconds from the end of the
/// previous kernel to its own end. An empty kernel is the lower limit.
std::unique_ptr<Workload> makeChain(int kernels, double us, const ChainCalibration &calibration);

/// The same with `blocks` blocks in each kernel.
std::unique_ptr<Workload> makeChainOf(int blocks, int kernels, double us,
                                      const ChainCalibration &calibration);

/// A chain of `kernels` kernels with programmatic edges: each triggers the next at its own begin,
/// and waits for the previous one in its middle.
std::unique_ptr<Workload> makeProgrammaticChain(int kernels);

/// A chain of kernels of 2 us, each between an event-wait node and an event-record node, as NCCL
/// captures its collectives. `fill`: each fills the GPU and leaves no room for another block.
std::unique_ptr<Workload> makeChainWithEvents(int kernels, bool fill,
                                              const ChainCalibration &calibration);

/// Layers of a tensor-parallel model as PyTorch and NCCL capture them: two kernels of work, a
/// collective of four blocks, a scale, each of 2 us. The first collective waits for an external
/// event, each records one behind itself, and each waits for the record of the one before. `fill`:
/// likewise, for all but the collectives.
std::unique_ptr<Workload> makeCollectives(int layers, bool fill,
                                          const ChainCalibration &calibration);

/// A chain of `kernels` kernels of 2 us and a few blocks, and at once another exec of it in another
/// stream.
std::unique_ptr<Workload> makeTwoAtOnce(int kernels, const ChainCalibration &calibration);

/// `lanes` parallel chains of kernels, forked from one kernel and joined in one. Each region is a
/// step of all lanes, and ends where each lane continues by itself.
std::unique_ptr<Workload> makeLanes(int lanes, int steps, const ChainCalibration &calibration);

/// One decode step of a transformer with 32 layers and the shapes of a 7B model in fp16, for one of
/// two tensor-parallel ranks: 8 regions for each layer, cuBLAS matrix-vector products and small
/// kernels. Throws if there is no cuBLAS.
std::unique_ptr<Workload> makeDecodeStep();

/// A solver of Poisson's equation on a grid of 2048 x 2048: ten sweeps of Jacobi's method, each
/// with an update of the grid's edges, and the residual after every other sweep: 25 regions.
std::unique_ptr<Workload> makeStencil();

/// Seven chains of 800 kernels of different kinds, each with one region and with every kernel a
/// region.
std::vector<std::unique_ptr<Workload>> makeMixes();

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_WORKLOAD_H
