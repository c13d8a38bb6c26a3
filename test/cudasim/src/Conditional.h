// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Conditional nodes: handles, whose values kernels set, and nodes that run their bodies according
// to a value. A graph with a conditional node cannot be cloned or embedded, and has one exec at a
// time.

#ifndef CUDASIM_SRC_CONDITIONAL_H
#define CUDASIM_SRC_CONDITIONAL_H

#include "Op.h"

#include <mutex>
#include <unordered_map>

namespace cudasim {

/// The values of conditional handles. Has its own lock, because kernels set values while a launch
/// holds the device's lock.
class ConditionalValues {
public:
  cudaGraphConditionalHandle create(unsigned defaultValue, bool assignDefault);
  [[nodiscard]] bool isHandle(cudaGraphConditionalHandle handle) const;
  void set(cudaGraphConditionalHandle handle, unsigned value);
  [[nodiscard]] unsigned get(cudaGraphConditionalHandle handle) const;
  /// Prepares a handle at the beginning of a launch.
  void launching(cudaGraphConditionalHandle handle);
  void clear();

private:
  struct State {
    unsigned value, defaultValue;
    bool assignDefault;
  };
  mutable std::mutex mutex_;
  std::unordered_map<cudaGraphConditionalHandle, State> states_;
  cudaGraphConditionalHandle last_ = 0;
};

cudaError_t conditionalHandleCreate(Device &device, cudaGraphConditionalHandle *handle,
                                    cudaGraph_t graph, unsigned defaultValue, unsigned flags);

/// Makes an op with empty bodies.
cudaError_t makeConditional(Device &device, cudaGraphConditionalHandle handle,
                            cudaGraphConditionalNodeType type, unsigned size, Op *op);
/// The bodies of a node: the array that CUDA gives to the program.
cudaGraph_t *bodiesOf(Device &device, cudaGraphNode_t node);

/// Runs the bodies as often as the handle's value says. Returns the end of the last run.
std::uint64_t runConditional(Device &device, ConditionalOp &op, std::uint64_t startNs,
                             unsigned long long streamId);
/// Sets the handles of a launched graph to their default values.
void launchingConditionals(Device &device, CUgraph_st &graph);

/// Whether a graph can be a conditional node's body.
bool mayBeBody(const CUgraph_st &graph);

} // namespace cudasim

#endif // CUDASIM_SRC_CONDITIONAL_H
