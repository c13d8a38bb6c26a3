// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the runtime API's copies copy, for copies.def. C11 and C++. Not for programs to call.

#ifndef GRAPHPROF_DETAIL_COPIES_RUNTIME_H
#define GRAPHPROF_DETAIL_COPIES_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "graphprof/detail/seam.h"

// An array's or a symbol's address is null: it is on the device.

static inline struct graphprof_seam_copy graphprof_seam_ofKind(enum cudaMemcpyKind kind,
                                                               const void *target,
                                                               const void *source, size_t bytes) {
  const struct graphprof_seam_copy copy = {
      kind == cudaMemcpyHostToDevice     ? graphprof_seam_toDevice
      : kind == cudaMemcpyDeviceToHost   ? graphprof_seam_toHost
      : kind == cudaMemcpyDeviceToDevice ? graphprof_seam_onDevice
      : kind == cudaMemcpyHostToHost     ? graphprof_seam_notTimed
                                         : graphprof_seam_byPointers,
      target, source, bytes, GRAPHPROF_NULL};
  return copy;
}

static inline struct graphprof_seam_copy
graphprof_seam_ofBlock(const struct cudaMemcpy3DParms *params) {
  struct graphprof_seam_copy copy = {graphprof_seam_notTimed, GRAPHPROF_NULL, GRAPHPROF_NULL, 0,
                                     GRAPHPROF_NULL};
  if (!params)
    return copy;
  copy = graphprof_seam_ofKind(params->kind, params->dstArray ? GRAPHPROF_NULL : params->dstPtr.ptr,
                               params->srcArray ? GRAPHPROF_NULL : params->srcPtr.ptr,
                               params->extent.width * params->extent.height * params->extent.depth);
  copy.array = params->srcArray ? params->srcArray : params->dstArray;
  return copy;
}

// As its first one, and the bytes of all.
static inline struct graphprof_seam_copy graphprof_seam_ofBatch(void *const *targets,
                                                                const void *const *sources,
                                                                const size_t *sizes, size_t count) {
  struct graphprof_seam_copy copy = {graphprof_seam_notTimed, GRAPHPROF_NULL, GRAPHPROF_NULL, 0,
                                     GRAPHPROF_NULL};
  if (!targets || !sources || !sizes || count == 0)
    return copy;
  copy = graphprof_seam_ofKind(cudaMemcpyDefault, targets[0], sources[0], 0);
  for (size_t i = 0; i < count; ++i)
    copy.bytes += sizes[i];
  return copy;
}

#endif // GRAPHPROF_DETAIL_COPIES_RUNTIME_H
