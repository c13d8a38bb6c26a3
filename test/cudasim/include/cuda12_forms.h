// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The functions that CUDA 13 changed, as CUDA 12 declares them: forms without edge data under the
// plain name, forms with it under _v2 (_v3 for the capture info). libcudasim.so exports CUDA 13's
// functions only, so here the _v2 names get those symbols and the plain names are inline functions.
// Included by cuda_runtime_api.h.

#ifndef CUDASIM_CUDA12_FORMS_H
#define CUDASIM_CUDA12_FORMS_H

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                    struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream __dv(0)) __asm__("cudaMemPrefetchAsync");
cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) __asm__("cudaMemAdvise");
cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                            unsigned long long *id __dv(0), cudaGraph_t *graph __dv(0),
                            const cudaGraphNode_t **dependencies __dv(0),
                            const cudaGraphEdgeData **edgeData __dv(0),
                            size_t *numDependencies __dv(0)) __asm__("cudaStreamGetCaptureInfo");
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id __dv(0), cudaGraph_t *graph __dv(0),
                                        const cudaGraphNode_t **dependencies __dv(0),
                                        size_t *numDependencies __dv(0));
cudaError_t cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edgeData,
    size_t numDependencies,
    unsigned int flags __dv(0)) __asm__("cudaStreamUpdateCaptureDependencies");
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edgeData,
                                 size_t *numEdges) __asm__("cudaGraphGetEdges");
cudaError_t
cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                cudaGraphEdgeData *edgeData,
                                size_t *numDependencies) __asm__("cudaGraphNodeGetDependencies");
cudaError_t
cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                  cudaGraphEdgeData *edgeData,
                                  size_t *numDependents) __asm__("cudaGraphNodeGetDependentNodes");
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData,
                                        size_t numDependencies) __asm__("cudaGraphAddDependencies");
cudaError_t
cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                               size_t numDependencies) __asm__("cudaGraphRemoveDependencies");
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, size_t numDependencies,
                                struct cudaGraphNodeParams *params) __asm__("cudaGraphAddNode");
// CUDA 13's form, which CUDA 12 does not declare.
cudaError_t cudasimMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                    size_t count, struct cudaMemcpyAttributes *attrs,
                                    size_t *attrsIdxs, size_t numAttrs,
                                    cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");
#ifdef __cplusplus
}
#endif

static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   enum cudaStreamCaptureStatus *status,
                                                   unsigned long long *id __dv(0)) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, 0, 0, 0, 0);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                              cudaGraphNode_t *dependencies,
                                                              size_t numDependencies,
                                                              unsigned int flags __dv(0)) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, 0, numDependencies, flags);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, size_t *numEdges) {
  return cudaGraphGetEdges_v2(graph, from, to, 0, numEdges);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                       cudaGraphNode_t *dependencies,
                                                       size_t *numDependencies) {
  return cudaGraphNodeGetDependencies_v2(node, dependencies, 0, numDependencies);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t *dependents,
                                                         size_t *numDependents) {
  return cudaGraphNodeGetDependentNodes_v2(node, dependents, 0, numDependents);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   size_t numDependencies) {
  return cudaGraphAddDependencies_v2(graph, from, to, 0, numDependencies);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      size_t numDependencies) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, 0, numDependencies);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           size_t numDependencies,
                                           struct cudaGraphNodeParams *params) {
  return cudaGraphAddNode_v2(node, graph, dependencies, 0, numDependencies, params);
}
static inline struct cudaMemLocation cudasimLocationOf(int device) {
  struct cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  if (device == cudaCpuDeviceId) {
    location.type = cudaMemLocationTypeHost;
    location.id = 0;
  }
  return location;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int device,
                                               cudaStream_t stream __dv(0)) {
  return cudaMemPrefetchAsync_v2(devPtr, count, cudasimLocationOf(device), 0, stream);
}
static inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                                        enum cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise_v2(devPtr, count, advice, cudasimLocationOf(device));
}
// A batch is refused as a whole, so *failIdx never names one copy.
static inline cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes,
                                               size_t count, struct cudaMemcpyAttributes *attrs,
                                               size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                               cudaStream_t stream) {
  const cudaError_t status = cudasimMemcpyBatchAsync(dsts, (const void *const *)srcs, sizes, count,
                                                     attrs, attrsIdxs, numAttrs, stream);
  if (status != cudaSuccess && failIdx)
    *failIdx = (size_t)-1;
  return status;
}

#endif // CUDASIM_CUDA12_FORMS_H
