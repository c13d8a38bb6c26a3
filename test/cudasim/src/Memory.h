// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Allocations. Device memory is host memory. The kind of each allocation is kept, to detect wrong
// frees.

#ifndef CUDASIM_SRC_MEMORY_H
#define CUDASIM_SRC_MEMORY_H

#include "Op.h"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>

namespace cudasim {

// Of large memory the kernel makes a page only when somebody writes to it.
struct FreeZeroed {
  void operator()(std::byte *bytes) const { std::free(bytes); }
};
using ZeroedBytes = std::unique_ptr<std::byte[], FreeZeroed>;

// As with the driver, device and managed memory is not there in a forked child. Pinned and
// registered memory is; a child's writes to pinned memory, which its parent sees with the driver,
// are its own here.
struct NotInChildren {
  std::size_t bytes = 0;
  void operator()(void *pages) const; // the pages are like others again
};

class Memory {
public:
  enum class Kind { Device, Managed, Host };

  // Zeroed memory, 256-byte aligned. Null if there is none.
  void *allocate(std::size_t bytes, Kind kind);
  bool free(void *pointer, Kind kind); // kind Device frees managed memory, too
  // The kind of the block that contains the address; null if there is none.
  const Kind *kindOf(const void *address) const;
  void clear() {
    blocks_.clear();
    deviceBytes_ = 0;
  }
  // Device and managed memory.
  std::size_t deviceBytes() const { return deviceBytes_; }

private:
  struct Block {
    ZeroedBytes storage;
    std::size_t bytes;
    Kind kind;
    std::unique_ptr<void, NotInChildren> notInChildren;
  };
  std::map<const void *, Block> blocks_;
  std::size_t deviceBytes_ = 0;
};

// Fails in threads that could break a capture; see Capture.h.
cudaError_t memAlloc(Device &device, void **pointer, std::size_t bytes, Memory::Kind kind);
cudaError_t memFree(Device &device, void *pointer, Memory::Kind kind);
cudaError_t memAllocAsync(Device &device, void **pointer, std::size_t bytes, cudaStream_t stream);
cudaError_t memFreeAsync(Device &device, void *pointer, cudaStream_t stream);

// The default pool, which is the only one.
cudaMemPool_t defaultPool();

// Where a graph's allocation lies.
void *addressOf(const AllocOp &op);
// Makes an allocation for a graph.
cudaError_t makeAlloc(std::size_t bytes, void **pointer, AllocOp *op);

// Null or wrong arguments yield an error instead of an op.
cudaError_t makeFill(const cudaMemsetParams *params, FillOp *op);
cudaError_t makeFill(void *dst, int value, std::size_t bytes, FillOp *op);

} // namespace cudasim

#endif // CUDASIM_SRC_MEMORY_H
