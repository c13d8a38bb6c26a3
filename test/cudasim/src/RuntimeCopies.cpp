// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: copies. Only translates arguments; the rules are in Copy.cpp.

#include "Call.h"
#include "Copy.h"

#include <vector>

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

// How a function submits its copy, which is the only difference between the forms.
struct AndWait {
  cudaError_t operator()(Device &d, const CopyOp &op) const { return submitAndWait(d, op); }
};
struct InStream {
  cudaStream_t stream;
  cudaError_t operator()(Device &d, const CopyOp &op) const { return submit(d, stream, op); }
};

cudaError_t copy(Device &d, auto how, void *dst, const void *src, size_t bytes,
                 cudaMemcpyKind kind) {
  CopyOp op;
  const cudaError_t wrong = makeCopy(dst, src, bytes, kind, &op);
  return wrong ? wrong : how(d, op);
}

cudaError_t copy2D(Device &d, auto how, void *dst, size_t dstPitch, const void *src,
                   size_t srcPitch, size_t width, size_t height, cudaMemcpyKind kind) {
  CopyOp op;
  const cudaError_t wrong = makeCopy2D(dst, dstPitch, src, srcPitch, width, height, kind, &op);
  return wrong ? wrong : how(d, op);
}

cudaError_t copy3D(Device &d, auto how, const cudaMemcpy3DParms *params) {
  CopyOp op;
  const cudaError_t wrong = makeCopy3D(d, params, &op);
  return wrong ? wrong : how(d, op);
}

CopyEnd memory(const void *pointer, size_t pitch = 0) {
  CopyEnd end;
  end.memory = const_cast<void *>(pointer);
  end.pitch = pitch;
  return end;
}

CopyEnd inArray(cudaArray_const_t array, size_t xInBytes, size_t y) {
  CopyEnd end;
  end.array = driverArray(const_cast<cudaArray_t>(array));
  end.at = {xInBytes, y, 0};
  return end;
}

cudaError_t copyRows(Device &d, auto how, const CopyEnd &dst, const CopyEnd &src, size_t width,
                     size_t height, cudaMemcpyKind kind) {
  CopyOp op;
  const cudaError_t wrong = makeCopy(d, dst, src, {width, height, 1}, kind, &op);
  return wrong ? wrong : how(d, op);
}

cudaError_t copyWrapped(Device &d, auto how, const CopyEnd &dst, const CopyEnd &src, size_t bytes,
                        cudaMemcpyKind kind) {
  std::vector<CopyOp> ops;
  if (const cudaError_t wrong = makeWrappedCopy(d, dst, src, bytes, kind, &ops))
    return wrong;
  for (const CopyOp &op : ops)
    if (const cudaError_t refused = how(d, op))
      return refused;
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL({ return copy(d, AndWait{}, dst, src, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  CUDA_CALL({ return copy(d, InStream{stream}, dst, src, bytes, kind); });
}

cudaError_t cudaMemcpy2D(void *dst, size_t dstPitch, const void *src, size_t srcPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  CUDA_CALL({ return copy2D(d, AndWait{}, dst, dstPitch, src, srcPitch, width, height, kind); });
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dstPitch, const void *src, size_t srcPitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  CUDA_CALL(
      { return copy2D(d, InStream{stream}, dst, dstPitch, src, srcPitch, width, height, kind); });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params) {
  CUDA_CALL({ return copy3D(d, AndWait{}, params); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, cudaStream_t stream) {
  CUDA_CALL({ return copy3D(d, InStream{stream}, params); });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t xInBytes, size_t y, const void *src,
                                size_t srcPitch, size_t width, size_t height, cudaMemcpyKind kind) {
  CUDA_CALL({
    return copyRows(d, AndWait{}, inArray(dst, xInBytes, y), memory(src, srcPitch), width, height,
                    kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t xInBytes, size_t y, const void *src,
                                     size_t srcPitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({
    return copyRows(d, InStream{stream}, inArray(dst, xInBytes, y), memory(src, srcPitch), width,
                    height, kind);
  });
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dstPitch, cudaArray_const_t src,
                                  size_t xInBytes, size_t y, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  CUDA_CALL({
    return copyRows(d, AndWait{}, memory(dst, dstPitch), inArray(src, xInBytes, y), width, height,
                    kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dstPitch, cudaArray_const_t src,
                                       size_t xInBytes, size_t y, size_t width, size_t height,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({
    return copyRows(d, InStream{stream}, memory(dst, dstPitch), inArray(src, xInBytes, y), width,
                    height, kind);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dstXInBytes, size_t dstY,
                                     cudaArray_const_t src, size_t srcXInBytes, size_t srcY,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  CUDA_CALL({
    return copyRows(d, AndWait{}, inArray(dst, dstXInBytes, dstY), inArray(src, srcXInBytes, srcY),
                    width, height, kind);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t xInBytes, size_t y, const void *src,
                              size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL(
      { return copyWrapped(d, AndWait{}, inArray(dst, xInBytes, y), memory(src), bytes, kind); });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t xInBytes, size_t y, const void *src,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({
    return copyWrapped(d, InStream{stream}, inArray(dst, xInBytes, y), memory(src), bytes, kind);
  });
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t xInBytes, size_t y,
                                size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL(
      { return copyWrapped(d, AndWait{}, memory(dst), inArray(src, xInBytes, y), bytes, kind); });
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t xInBytes, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({
    return copyWrapped(d, InStream{stream}, memory(dst), inArray(src, xInBytes, y), bytes, kind);
  });
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dstXInBytes, size_t dstY,
                                   cudaArray_const_t src, size_t srcXInBytes, size_t srcY,
                                   size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL({
    return copyWrapped(d, AndWait{}, inArray(dst, dstXInBytes, dstY),
                       inArray(src, srcXInBytes, srcY), bytes, kind);
  });
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                 size_t count, cudaMemcpyAttributes *attributes,
                                 size_t *firstCopies, size_t attributeCount, cudaStream_t stream) {
  CUDA_CALL({
    return submitBatch(d, dsts, srcs, sizes, count, attributes, firstCopies, attributeCount,
                       stream);
  });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  CUDA_CALL({ return copy(d, AndWait{}, inSymbol(symbol, offset), src, bytes, kind); });
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  CUDA_CALL({ return copy(d, AndWait{}, dst, inSymbol(symbol, offset), bytes, kind); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({ return copy(d, InStream{stream}, inSymbol(symbol, offset), src, bytes, kind); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  CUDA_CALL({ return copy(d, InStream{stream}, dst, inSymbol(symbol, offset), bytes, kind); });
}

} // extern "C"
