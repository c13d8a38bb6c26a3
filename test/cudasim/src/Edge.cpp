// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for the data of edges.

#include "Edge.h"

#include <algorithm>
#include <iterator>

namespace cudasim {

bool sameData(const cudaGraphEdgeData &left, const cudaGraphEdgeData &right) {
  return left.from_port == right.from_port && left.to_port == right.to_port &&
         left.type == right.type;
}

bool carriesData(const cudaGraphEdgeData &data) { return !sameData(data, {}); }

bool mayLeave(cudaGraphNodeType source, const cudaGraphEdgeData &data) {
  const bool reservedIsZero = std::all_of(std::begin(data.reserved), std::end(data.reserved),
                                          [](unsigned char byte) { return byte == 0; });
  if (data.to_port != 0 || !reservedIsZero)
    return false;
  const bool programmatic = data.type == cudaGraphDependencyTypeProgrammatic;
  if (!programmatic && data.type != cudaGraphDependencyTypeDefault)
    return false;
  switch (data.from_port) {
  case cudaGraphKernelNodePortDefault:
    return !programmatic;
  case cudaGraphKernelNodePortProgrammatic:
    return programmatic && source == cudaGraphNodeTypeKernel;
  case cudaGraphKernelNodePortLaunchCompletion:
    return source == cudaGraphNodeTypeKernel;
  default:
    return false;
  }
}

bool mayConnect(cudaGraphNodeType source, cudaGraphNodeType target, const cudaGraphEdgeData &data) {
  return mayLeave(source, data) &&
         (data.type != cudaGraphDependencyTypeProgrammatic || target == cudaGraphNodeTypeKernel);
}

} // namespace cudasim
