// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The backend "cuda". It uses the event pools, the alignment and the clocks that also time graphs.
// CudaGraphs.cpp has its functions for graphs; this header has what both files share.

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

/// Fills in the functions for graphs.
void addGraphs(graphprof_backend &backend) noexcept;

} // namespace graphprof::cudabackend

#endif // GRAPHPROF_BACKEND_CUDA_H
