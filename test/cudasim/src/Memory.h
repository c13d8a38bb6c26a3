// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations. Device memory is host memory; what was allocated as what is kept so that wrong frees
// are found.

#ifndef CUDASIM_SRC_MEMORY_H
#define CUDASIM_SRC_MEMORY_H

#include "Op.h"

#include <map>
#include <memory>

namespace cudasim {

class Memory {
public:
  enum class Kind { Device, Managed, Host };

  // Zeroed, 256-byte aligned. Null when there is none.
  void *allocate(std::size_t bytes, Kind kind);
  bool free(void *pointer, Kind kind); // Device: managed memory too
  // What the block that holds the address was allocated as; null where none does.
  const Kind *kindOf(const void *address) const;
  void clear() { blocks_.clear(); }

private:
  struct Block {
    std::unique_ptr<std::byte[]> storage;
    std::size_t bytes;
    Kind kind;
  };
  std::map<const void *, Block> blocks_;
};

// Allocations that wait for nothing are forbidden to threads that may break a capture; see
// Capture.h.
cudaError_t memAlloc(Device &device, void **pointer, std::size_t bytes, Memory::Kind kind);
cudaError_t memFree(Device &device, void *pointer, Memory::Kind kind);
cudaError_t memAllocAsync(Device &device, void **pointer, std::size_t bytes, cudaStream_t stream);
cudaError_t memFreeAsync(Device &device, void *pointer, cudaStream_t stream);

// The default pool is the only one.
cudaMemPool_t defaultPool();

// A graph's own allocation.
cudaError_t makeAlloc(std::size_t bytes, void **pointer, AllocOp *op);

// Null or wrong arguments yield an error instead of an op.
cudaError_t makeFill(const cudaMemsetParams *params, FillOp *op);
cudaError_t makeFill(void *dst, int value, std::size_t bytes, FillOp *op);

} // namespace cudasim

#endif // CUDASIM_SRC_MEMORY_H
