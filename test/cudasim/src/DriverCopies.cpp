// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: copies. Only translates arguments; the rules are in Copy.cpp.

#include "Call.h"
#include "Copy.h"
#include "DriverParams.h"

#include <cstring>
#include <utility>

using namespace cudasim;

namespace {

// How a function submits its copy, which is the only difference between the forms.
struct AndWait {
  static cudaError_t may(Device &d) {
    NEEDS_CONTEXT;
    return cudaSuccess;
  }
  static cudaError_t run(Device &d, Op op) { return submitAndWait(d, std::move(op)); }
};
struct InStream {
  CUstream stream;
  cudaError_t may(Device &d) const {
    NEEDS_CONTEXT_OF(stream);
    return cudaSuccess;
  }
  cudaError_t run(Device &d, Op op) const { return submit(d, stream, std::move(op)); }
};

void *at(CUdeviceptr pointer) { return reinterpret_cast<void *>(pointer); }

cudaError_t copy(Device &d, auto how, void *dst, const void *src, size_t bytes) {
  if (const cudaError_t refused = how.may(d))
    return refused;
  CopyOp op;
  const cudaError_t wrong = makeCopy(dst, src, bytes, cudaMemcpyDefault, &op);
  return wrong ? wrong : how.run(d, op);
}

CopyEnd memory(const void *pointer, size_t bytes) {
  CopyEnd end;
  end.memory = const_cast<void *>(pointer);
  end.pitch = bytes;
  return end;
}

CopyEnd inArray(CUarray array, size_t offset) {
  CopyEnd end;
  end.array = array;
  end.at = {offset, 0, 0};
  return end;
}

// A copy of one row of bytes.
cudaError_t copy(Device &d, auto how, const CopyEnd &dst, const CopyEnd &src, size_t bytes) {
  if (const cudaError_t refused = how.may(d))
    return refused;
  CopyOp op;
  const cudaError_t wrong = makeCopy(d, dst, src, {bytes, 1, 1}, cudaMemcpyDefault, &op);
  return wrong ? wrong : how.run(d, op);
}

cudaError_t copy3D(Device &d, auto how, const CUDA_MEMCPY3D *params) {
  if (const cudaError_t refused = how.may(d))
    return refused;
  Op op;
  const cudaError_t wrong = opFrom(d, params, &op);
  return wrong ? wrong : how.run(d, std::move(op));
}

cudaError_t copy2D(Device &d, auto how, const CUDA_MEMCPY2D *params) {
  if (!params)
    return copy3D(d, how, nullptr);
  const CUDA_MEMCPY2D &from = *params;
  CUDA_MEMCPY3D p;
  std::memset(&p, 0, sizeof p);
  p.srcXInBytes = from.srcXInBytes;
  p.srcY = from.srcY;
  p.srcMemoryType = from.srcMemoryType;
  p.srcHost = from.srcHost;
  p.srcDevice = from.srcDevice;
  p.srcArray = from.srcArray;
  p.srcPitch = from.srcPitch;
  p.dstXInBytes = from.dstXInBytes;
  p.dstY = from.dstY;
  p.dstMemoryType = from.dstMemoryType;
  p.dstHost = from.dstHost;
  p.dstDevice = from.dstDevice;
  p.dstArray = from.dstArray;
  p.dstPitch = from.dstPitch;
  p.WidthInBytes = from.WidthInBytes;
  p.Height = from.Height;
  p.Depth = 1;
  return copy3D(d, how, &p);
}

} // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, at(dst), at(src), bytes); });
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  CU_CALL({ return copy(d, InStream{stream}, at(dst), at(src), bytes); });
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, at(dst), src, bytes); });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  CU_CALL({ return copy(d, InStream{stream}, at(dst), src, bytes); });
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, dst, at(src), bytes); });
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  CU_CALL({ return copy(d, InStream{stream}, dst, at(src), bytes); });
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, at(dst), at(src), bytes); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  CU_CALL({ return copy(d, InStream{stream}, at(dst), at(src), bytes); });
}

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t dstOffset, CUdeviceptr src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, inArray(dst, dstOffset), memory(at(src), bytes), bytes); });
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t srcOffset, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, memory(at(dst), bytes), inArray(src, srcOffset), bytes); });
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t dstOffset, const void *src, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, inArray(dst, dstOffset), memory(src, bytes), bytes); });
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t dstOffset, const void *src, size_t bytes,
                              CUstream stream) {
  CU_CALL(
      { return copy(d, InStream{stream}, inArray(dst, dstOffset), memory(src, bytes), bytes); });
}

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t srcOffset, size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, memory(dst, bytes), inArray(src, srcOffset), bytes); });
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t srcOffset, size_t bytes,
                              CUstream stream) {
  CU_CALL(
      { return copy(d, InStream{stream}, memory(dst, bytes), inArray(src, srcOffset), bytes); });
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset,
                         size_t bytes) {
  CU_CALL({ return copy(d, AndWait{}, inArray(dst, dstOffset), inArray(src, srcOffset), bytes); });
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *params) {
  CU_CALL({ return copy2D(d, AndWait{}, params); });
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *params) {
  CU_CALL({ return copy2D(d, AndWait{}, params); });
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *params, CUstream stream) {
  CU_CALL({ return copy2D(d, InStream{stream}, params); });
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *params) {
  CU_CALL({ return copy3D(d, AndWait{}, params); });
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *params, CUstream stream) {
  CU_CALL({ return copy3D(d, InStream{stream}, params); });
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *firstCopies,
                               size_t attributeCount, CUstream stream) {
  static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes));
  CU_CALL({
    NEEDS_CONTEXT_OF(stream);
    return submitBatch(d, reinterpret_cast<void **>(dsts), reinterpret_cast<const void **>(srcs),
                       sizes, count, reinterpret_cast<cudaMemcpyAttributes *>(attributes),
                       firstCopies, attributeCount, stream);
  });
}

} // extern "C"
