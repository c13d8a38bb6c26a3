// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies between memory and arrays: which are allowed, and the ops for them. All forms of both APIs
// are translated to a cudaMemcpy3DParms.

#ifndef CUDASIM_SRC_COPY_H
#define CUDASIM_SRC_COPY_H

#include "Op.h"

#include <vector>

struct CUarray_st;

namespace cudasim {

// Source or target of a copy whose widths are in bytes: memory, or an array.
struct CopyEnd {
  void *memory = nullptr;
  std::size_t pitch = 0, height = 0; // of memory; height is of one slice
  CUarray_st *array = nullptr;
  cudaPos at{}; // x in bytes
};

// Null or wrong arguments yield an error instead of an op.
cudaError_t makeCopy(void *dst, const void *src, std::size_t bytes, cudaMemcpyKind kind,
                     CopyOp *op);
cudaError_t makeCopy2D(void *dst, std::size_t dstPitch, const void *src, std::size_t srcPitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind, CopyOp *op);
cudaError_t makeCopy3D(Device &device, const cudaMemcpy3DParms *params, CopyOp *op);
cudaError_t makeCopy(Device &device, const CopyEnd &dst, const CopyEnd &src,
                     const cudaExtent &extentInBytes, cudaMemcpyKind kind, CopyOp *op);

// A copy of consecutive bytes that wraps at the ends of an array's rows: one op for each run of
// equal rows.
cudaError_t makeWrappedCopy(Device &device, CopyEnd dst, CopyEnd src, std::size_t bytes,
                            cudaMemcpyKind kind, std::vector<CopyOp> *ops);

// cudaMemcpyBatchAsync: submits all copies, or none and returns an error. Not possible during a
// capture.
cudaError_t submitBatch(Device &device, void *const *dsts, const void *const *srcs,
                        const std::size_t *sizes, std::size_t count,
                        const cudaMemcpyAttributes *attributes, const std::size_t *firstCopies,
                        std::size_t attributeCount, cudaStream_t stream);

// An address in a device variable. The variable is in its host shadow, whose address is the symbol.
inline void *inSymbol(const void *symbol, std::size_t offset) {
  return symbol ? static_cast<std::byte *>(const_cast<void *>(symbol)) + offset : nullptr;
}

// Runs op on the legacy stream and waits for it, as the synchronous copies do.
cudaError_t submitAndWait(Device &device, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_COPY_H
