// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A piece of device work, executed by a stream or held by a graph node. An Op only has parameters;
// streams and graphs decide when it runs.

#ifndef CUDASIM_SRC_OP_H
#define CUDASIM_SRC_OP_H

#include "cuda_runtime_api.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct CUfunc_st;
struct CUgraph_st;
struct CUevent_st;
union CUstreamBatchMemOpParams_union;

namespace cudasim {

struct Device;

// A launch's parameters, copied at the launch. Immutable, so nodes and launches share them.
struct KernelArgs {
  std::vector<std::byte> bytes;
  std::vector<void *> pointers; // into bytes
};

struct KernelOp {
  std::shared_ptr<CUfunc_st> function;
  dim3 grid;
  dim3 block;
  unsigned sharedMemBytes = 0;
  std::shared_ptr<KernelArgs> args; // null if the parameter sizes are unknown
  bool deviceUpdatable = false;
  std::vector<cudaLaunchAttribute> attributes; // attributes that nodes have, such as clusters
};

// Rows of bytes between two pitched volumes, in memory or in arrays; a plain copy is one row.
struct CopyOp {
  std::byte *dst = nullptr;
  const std::byte *src = nullptr;
  std::size_t width = 0, height = 1, depth = 1;
  std::size_t dstPitch = 0, srcPitch = 0;
  std::size_t dstSlice = 0, srcSlice = 0;
  std::size_t elementBytes = 1; // of the array at an end, the unit of widths in asGiven
  cudaMemcpy3DParms asGiven{};  // for cudaGraphMemcpyNodeGetParams
};

struct FillOp {
  cudaMemsetParams params{};
};

struct HostOp {
  cudaHostFn_t fn = nullptr;
  void *userData = nullptr;
  unsigned syncMode = 0; // CU_HOST_TASK_...; kept, and changes nothing
};

struct ChildOp {
  std::shared_ptr<CUgraph_st> graph;
};

struct EmptyOp {};

struct RecordOp {
  std::shared_ptr<CUevent_st> event;
};

struct WaitOp {
  std::shared_ptr<CUevent_st> event;
};

struct AllocOp {
  std::shared_ptr<std::byte[]> memory; // freed with the last graph or exec that holds it
  std::size_t bytes = 0;
};

struct FreeOp {
  void *pointer = nullptr;
};

// Words that are written one after the other.
struct WriteOp {
  std::shared_ptr<std::vector<CUstreamBatchMemOpParams_union>> words;
};

// External semaphores: words that are set one after the other. Waiting takes no time.
struct SignalOp {
  std::vector<std::pair<unsigned long long *, unsigned long long>> words;
};
struct AwaitOp {};

struct ConditionalOp {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<CUgraph_st>> bodies;
  std::vector<cudaGraph_t> handles; // the bodies; CUDA gives this array to the program
};

using Op = std::variant<EmptyOp, KernelOp, CopyOp, FillOp, HostOp, ChildOp, RecordOp, WaitOp,
                        AllocOp, FreeOp, WriteOp, SignalOp, AwaitOp, ConditionalOp>;

cudaGraphNodeType typeOf(const Op &op);
// Of two ops of one type. Memory that a graph allocates only has a size.
bool haveSameParams(const Op &one, const Op &other);

// When an op can begin. A kernel with programmatic predecessors begins before they have completed,
// and can wait for them.
struct OpStart {
  std::uint64_t beginNs;
  std::uint64_t completedNs; // not before beginNs

  static OpStart at(std::uint64_t ns) { return {ns, ns}; }
};

// When the successors of an op can begin, by port.
struct OpTimes {
  std::uint64_t launchedNs = 0; // launch completion: all blocks of a kernel have begun
  std::uint64_t triggeredNs = 0;
  std::uint64_t endNs = 0;

  // For an op whose ports all have the same time.
  static OpTimes allAt(std::uint64_t ns) { return {ns, ns, ns}; }
  std::uint64_t at(const cudaGraphEdgeData &edge) const {
    return edge.from_port == cudaGraphKernelNodePortLaunchCompletion ? launchedNs
           : edge.from_port == cudaGraphKernelNodePortProgrammatic   ? triggeredNs
                                                                     : endNs;
  }
};

// Executes an op. Queues its effects on memory for the end of the API call.
OpTimes execute(Device &device, Op &op, OpStart start, unsigned long long streamId);

} // namespace cudasim

#endif // CUDASIM_SRC_OP_H
