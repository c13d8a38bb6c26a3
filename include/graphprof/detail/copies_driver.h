// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the driver API's copies copy, for copies.def. C11 and C++. Not for programs to call.

#ifndef GRAPHPROF_DETAIL_COPIES_DRIVER_H
#define GRAPHPROF_DETAIL_COPIES_DRIVER_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#include "graphprof/detail/seam.h"

static inline struct graphprof_seam_copy graphprof_seam_fromHost(const void *source, size_t bytes) {
  const struct graphprof_seam_copy copy = {graphprof_seam_toDevice, GRAPHPROF_NULL, source, bytes,
                                           GRAPHPROF_NULL};
  return copy;
}
static inline struct graphprof_seam_copy graphprof_seam_intoHost(const void *target, size_t bytes) {
  const struct graphprof_seam_copy copy = {graphprof_seam_toHost, target, GRAPHPROF_NULL, bytes,
                                           GRAPHPROF_NULL};
  return copy;
}
static inline struct graphprof_seam_copy graphprof_seam_withinDevice(size_t bytes) {
  const struct graphprof_seam_copy copy = {graphprof_seam_onDevice, GRAPHPROF_NULL, GRAPHPROF_NULL,
                                           bytes, GRAPHPROF_NULL};
  return copy;
}
static inline struct graphprof_seam_copy
graphprof_seam_ofUnified(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  const struct graphprof_seam_copy copy = {graphprof_seam_byPointers,
                                           (const void *)(uintptr_t)target,
                                           (const void *)(uintptr_t)source, bytes, GRAPHPROF_NULL};
  return copy;
}

// As its first one, and the bytes of all.
static inline struct graphprof_seam_copy graphprof_seam_ofUnifiedBatch(const CUdeviceptr *targets,
                                                                       const CUdeviceptr *sources,
                                                                       const size_t *sizes,
                                                                       size_t count) {
  struct graphprof_seam_copy copy = {graphprof_seam_notTimed, GRAPHPROF_NULL, GRAPHPROF_NULL, 0,
                                     GRAPHPROF_NULL};
  if (!targets || !sources || !sizes || count == 0)
    return copy;
  copy = graphprof_seam_ofUnified(targets[0], sources[0], 0);
  for (size_t i = 0; i < count; ++i)
    copy.bytes += sizes[i];
  return copy;
}

// One side of the driver API's structs.
struct graphprof_seam_side {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device; ///< also a unified address
};
static inline struct graphprof_seam_copy graphprof_seam_between(struct graphprof_seam_side target,
                                                                struct graphprof_seam_side source,
                                                                size_t bytes) {
  const int fromHost = source.type == CU_MEMORYTYPE_HOST,
            toHost = target.type == CU_MEMORYTYPE_HOST;
  struct graphprof_seam_copy copy =
      graphprof_seam_ofUnified(target.type == CU_MEMORYTYPE_ARRAY ? 0 : target.device,
                               source.type == CU_MEMORYTYPE_ARRAY ? 0 : source.device, bytes);
  if (toHost)
    copy.target = target.host;
  if (fromHost)
    copy.source = source.host;
  if (source.type != CU_MEMORYTYPE_UNIFIED && target.type != CU_MEMORYTYPE_UNIFIED)
    copy.way = fromHost && toHost ? graphprof_seam_notTimed
               : fromHost         ? graphprof_seam_toDevice
               : toHost           ? graphprof_seam_toHost
                                  : graphprof_seam_onDevice;
  return copy;
}
static inline struct graphprof_seam_copy graphprof_seam_ofRows(const CUDA_MEMCPY2D *params) {
  const struct graphprof_seam_copy none = {graphprof_seam_notTimed, GRAPHPROF_NULL, GRAPHPROF_NULL,
                                           0, GRAPHPROF_NULL};
  if (!params)
    return none;
  const struct graphprof_seam_side target = {params->dstMemoryType, params->dstHost,
                                             params->dstDevice};
  const struct graphprof_seam_side source = {params->srcMemoryType, params->srcHost,
                                             params->srcDevice};
  return graphprof_seam_between(target, source, params->WidthInBytes * params->Height);
}
static inline struct graphprof_seam_copy graphprof_seam_ofCube(const CUDA_MEMCPY3D *params) {
  const struct graphprof_seam_copy none = {graphprof_seam_notTimed, GRAPHPROF_NULL, GRAPHPROF_NULL,
                                           0, GRAPHPROF_NULL};
  if (!params)
    return none;
  const struct graphprof_seam_side target = {params->dstMemoryType, params->dstHost,
                                             params->dstDevice};
  const struct graphprof_seam_side source = {params->srcMemoryType, params->srcHost,
                                             params->srcDevice};
  return graphprof_seam_between(target, source,
                                params->WidthInBytes * params->Height * params->Depth);
}

#endif // GRAPHPROF_DETAIL_COPIES_DRIVER_H
