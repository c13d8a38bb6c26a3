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
cudaError_t makeCopy(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind,
                     CopyOp *op);
cudaError_t makeCopy2D(void *dst, std::size_t dstPitch, const void *src, std::size_t srcPitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind, CopyOp *op);
cudaError_t makeCopy3D(const cudaMemcpy3DParms *params, CopyOp *op);
cudaError_t makeFill(const cudaMemsetParams *params, FillOp *op);
cudaError_t makeFill(void *dst, int value, std::size_t bytes, FillOp *op);

// A place in a device variable: it lives in its host shadow, whose address is the symbol.
inline void *inSymbol(const void *symbol, std::size_t offset) {
  return symbol ? static_cast<std::byte *>(const_cast<void *>(symbol)) + offset : nullptr;
}

// Runs op on the legacy stream and waits for it, as the synchronous copies do.
cudaError_t submitAndWait(Device &device, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_MEMORY_H
