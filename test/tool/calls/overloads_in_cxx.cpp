// REQUIRES: toolkit
// RUN: %instrument %s -o %t.cpp --strict -- -std=c++17
// RUN: grep -v '^ *//' %t.cpp | FileCheck %s
// RUN: clang++ -std=c++17 -Wall -Werror -fsyntax-only -isystem /usr/local/cuda/include %s
// RUN: clang++ -std=c++17 -Wall -Werror -fsyntax-only -I%S/../../../include -isystem /usr/local/cuda/include %t.cpp
// RUN: g++ -std=c++17 -Wall -Werror -fsyntax-only -I%S/../../../include -isystem /usr/local/cuda/include %t.cpp
// RUN: sed s/cuda_runtime.h/cuda_runtime_api.h/ %s > %t.api.cpp
// RUN: %instrument %t.api.cpp -o %t.api.out.cpp --strict -- -std=c++17 -DONLY_C_FUNCTIONS
// RUN: grep -v '^ *//' %t.api.out.cpp | FileCheck %s --check-prefix=API
// RUN: g++ -std=c++17 -DONLY_C_FUNCTIONS -Wall -Werror -fsyntax-only -I%S/../../../include -isystem /usr/local/cuda/include %t.api.out.cpp
//
// Every overload of a redirected function that cuda_runtime.h gives to a host compiler, called and by address.

#include <cuda_runtime.h>

#ifndef ONLY_C_FUNCTIONS
// CHECK-LABEL: cudaError_t graphs(
cudaError_t graphs(cudaGraphExec_t *e, cudaGraph_t g, cudaGraphNode_t *n, char *log) {
  cudaError_t (*flags)(cudaGraphExec_t *, cudaGraph_t, unsigned long long) = cudaGraphInstantiate;
  // CHECK: = ::graphprof::cuda::cudaGraphInstantiateWithFlags;
  cudaError_t (*logged)(cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t) = &cudaGraphInstantiate;
  // CHECK: = &::graphprof::cuda::cudaGraphInstantiate;
  if (flags(e, g, 0) || logged(e, g, n, log, 4))
    return cudaErrorUnknown;
  if (cudaGraphInstantiate(e, g) || cudaGraphInstantiate(e, g, 0))
    // CHECK: ::graphprof::cuda::cudaGraphInstantiate(e, g) || ::graphprof::cuda::cudaGraphInstantiate(e, g, 0)
    return cudaErrorUnknown;
  return cudaGraphInstantiate(e, g, nullptr, nullptr, 0);
  // CHECK: return ::graphprof::cuda::cudaGraphInstantiate(e, g, nullptr, nullptr, 0);
}

// CHECK-LABEL: cudaError_t memory(
cudaError_t memory(float **p, void **v, size_t *pitch, cudaMemPool_t pool, cudaStream_t s) {
  cudaError_t (*typed)(float **, size_t) = cudaMalloc;
  cudaError_t (*pinned)(void **, size_t, unsigned) = cudaMallocHost;
  cudaError_t (*pooled)(void **, size_t, cudaMemPool_t, cudaStream_t) = cudaMallocAsync;
  if (typed(p, 4) || pinned(v, 4, 0) || pooled(v, 4, pool, s))
    return cudaErrorUnknown;
  if (cudaMalloc(p, 4) || cudaMalloc(v, 4) || cudaMallocHost(p, 4) || cudaMallocHost(p, 4, 0))
  // CHECK: if (::graphprof::cuda::cudaMalloc(p, 4) || ::graphprof::cuda::cudaMalloc(v, 4) || ::graphprof::cuda::cudaMallocHost(p, 4) || ::graphprof::cuda::cudaMallocHost(p, 4, 0))
    return cudaErrorUnknown;
  if (cudaMallocHost(v, 4) || cudaMallocHost(v, 4, 0) || cudaHostAlloc(p, 4, 0) || cudaHostAlloc(v, 4, 0))
  // CHECK: if (::graphprof::cuda::cudaMallocHost(v, 4) || ::graphprof::cuda::cudaMallocHost(v, 4, 0) || ::graphprof::cuda::cudaHostAlloc(p, 4, 0) || ::graphprof::cuda::cudaHostAlloc(v, 4, 0))
    return cudaErrorUnknown;
  if (cudaMallocManaged(p, 4) || cudaMallocManaged(p, 4, 1) || cudaMallocManaged(v, 4) || cudaMallocManaged(v, 4, 1))
  // CHECK: if (::graphprof::cuda::cudaMallocManaged(p, 4) || ::graphprof::cuda::cudaMallocManaged(p, 4, 1) || ::graphprof::cuda::cudaMallocManaged(v, 4) || ::graphprof::cuda::cudaMallocManaged(v, 4, 1))
    return cudaErrorUnknown;
  if (cudaMallocPitch(p, pitch, 4, 4) || cudaMallocPitch(v, pitch, 4, 4))
  // CHECK: if (::graphprof::cuda::cudaMallocPitch(p, pitch, 4, 4) || ::graphprof::cuda::cudaMallocPitch(v, pitch, 4, 4))
    return cudaErrorUnknown;
  if (cudaMallocAsync(p, 4, s) || cudaMallocAsync(v, 4, s) || cudaMallocAsync(p, 4, pool, s) ||
  // CHECK: if (::graphprof::cuda::cudaMallocAsync(p, 4, s) || ::graphprof::cuda::cudaMallocAsync(v, 4, s) || ::graphprof::cuda::cudaMallocAsync(p, 4, pool, s) ||
      cudaMallocAsync(v, 4, pool, s))
  // CHECK: ::graphprof::cuda::cudaMallocAsync(v, 4, pool, s))
    return cudaErrorUnknown;
  return cudaMallocFromPoolAsync(p, 4, pool, s) ? cudaErrorUnknown : cudaMallocFromPoolAsync(v, 4, pool, s);
  // CHECK: return ::graphprof::cuda::cudaMallocFromPoolAsync(p, 4, pool, s) ? cudaErrorUnknown : ::graphprof::cuda::cudaMallocFromPoolAsync(v, 4, pool, s);
}
#endif

// Where a source has the C functions alone, an address needs no type to choose by.
cudaError_t byAddress(cudaGraphExec_t *e, cudaGraph_t g) {
#ifdef ONLY_C_FUNCTIONS
  auto instantiate = &cudaGraphInstantiate;
  // API: auto instantiate = &::graphprof::cuda::cudaGraphInstantiateWithFlags;
  return instantiate(e, g, 0);
#else
  return cudaGraphInstantiate(e, g, 0);
#endif
}
