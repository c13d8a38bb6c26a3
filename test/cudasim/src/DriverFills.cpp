// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: fills. Only translates arguments; the rules are in Memory.cpp.

#include "Call.h"
#include "DriverParams.h"
#include "Memory.h"

#include <cuda.h>

using namespace cudasim;

namespace {

struct Fill {
  CUdeviceptr to;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
};

cudaError_t made(const Fill &given, FillOp *op) {
  if (given.to % given.elementSize != 0 || given.pitch % given.elementSize != 0)
    return cudaErrorInvalidValue;
  const cudaMemsetParams params{reinterpret_cast<void *>(given.to),
                                given.pitch,
                                given.value,
                                given.elementSize,
                                given.width,
                                given.height};
  return makeFill(&params, op);
}

cudaError_t fill(Device &d, const Fill &given) {
  NEEDS_CONTEXT;
  FillOp op;
  const cudaError_t wrong = made(given, &op);
  return wrong ? wrong : submit(d, d.legacyStream, op);
}

cudaError_t fill(Device &d, const Fill &given, CUstream stream) {
  NEEDS_CONTEXT_OF(stream);
  FillOp op;
  const cudaError_t wrong = made(given, &op);
  return wrong ? wrong : submit(d, stream, op);
}

} // namespace

extern "C" {

#define FILLS(BITS, T)                                                                             \
  CUresult cuMemsetD##BITS##_v2(CUdeviceptr to, T value, size_t count) {                           \
    CU_CALL({ return fill(d, {to, 0, value, sizeof(T), count, 1}); });                             \
  }                                                                                                \
  CUresult cuMemsetD##BITS##Async(CUdeviceptr to, T value, size_t count, CUstream stream) {        \
    CU_CALL({ return fill(d, {to, 0, value, sizeof(T), count, 1}, stream); });                     \
  }                                                                                                \
  CUresult cuMemsetD2D##BITS##_v2(CUdeviceptr to, size_t pitch, T value, size_t width,             \
                                  size_t height) {                                                 \
    CU_CALL({ return fill(d, {to, pitch, value, sizeof(T), width, height}); });                    \
  }                                                                                                \
  CUresult cuMemsetD2D##BITS##Async(CUdeviceptr to, size_t pitch, T value, size_t width,           \
                                    size_t height, CUstream stream) {                              \
    CU_CALL({ return fill(d, {to, pitch, value, sizeof(T), width, height}, stream); });            \
  }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned int)
#undef FILLS

} // extern "C"
