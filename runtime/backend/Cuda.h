// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The backend "cuda", over the pools of events, the alignment and the clocks that graphs are timed
// with anyway. Its graphs' half is in CudaGraphs.cpp; here is what the two share.

#ifndef GRAPHPROF_BACKEND_CUDA_H
#define GRAPHPROF_BACKEND_CUDA_H

#include "backend/Why.h"
#include "clock/Device.h"
#include "cuda/Driver.h"
#include "graphprof/backend.h"

namespace graphprof::cudabackend {

inline driver::Stream streamOf(graphprof_stream stream) {
  return reinterpret_cast<driver::Stream>(stream);
}

inline graphprof_backend_status noDriver() noexcept {
  detail::backendReason() = "there is no CUDA driver that graphprof can use";
  return graphprof_backend_unsupported;
}

/// Fills in the second half.
void addGraphs(graphprof_backend &backend) noexcept;

} // namespace graphprof::cudabackend

#endif // GRAPHPROF_BACKEND_CUDA_H
