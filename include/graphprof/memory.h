// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What kinds of memory a program allocates: the categories of export_memory_timeline().

#ifndef GRAPHPROF_MEMORY_H
#define GRAPHPROF_MEMORY_H

namespace graphprof {
inline namespace v1 {

/// How memory was allocated.
enum class MemoryKind : unsigned char {
  Device,  ///< cudaMalloc, cudaMallocPitch, cudaMalloc3D, cuMemCreate
  Pool,    ///< in a stream's order: cudaMallocAsync, cudaMallocFromPoolAsync
  Managed, ///< cudaMallocManaged; counts for the device that was current
  Host,    ///< pinned host memory: cudaMallocHost, cudaHostAlloc
  Graph,   ///< cudaMallocAsync in a capture, nodes that allocate; exists while replays use it
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_MEMORY_H
