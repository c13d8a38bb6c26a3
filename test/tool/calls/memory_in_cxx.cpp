// RUN: %instrument %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %instrument %t.cpp -o %t.again.cpp -- %cxx
// RUN: cmp %t.cpp %t.again.cpp
// RUN: clang++ -std=c++17 -Werror -fsyntax-only -I%S/../../../include -isystem %S/../../cudasim/include %t.cpp
//
// A C++ source may have only the C functions, one a name: its address may be taken where several would be ambiguous. Such
// references stay. Calls mean the same.

#include <cuda_runtime_api.h>

template <class Function, class... T> cudaError_t apply(Function f, T... t) { return f(t...); }
#define api(function, ...) ((void)reinterpret_cast<void *>(function), function(__VA_ARGS__))
template <auto Function> cudaError_t call(void **p) { return Function(p, 4); }

cudaError_t run(void *p, void *symbol, const void *from) {
  if (cudaMalloc(&p, 4) || (cudaMalloc)(&p, 4) || cudaMallocHost(reinterpret_cast<void **>(&p), 4))
    // CHECK: if (::graphprof::cuda::cudaMalloc(&p, 4) || (::graphprof::cuda::cudaMalloc)(&p, 4) || ::graphprof::cuda::cudaMallocHost(reinterpret_cast<void **>(&p), 4))
    return cudaMemcpyToSymbol(symbol, from, 4);
  // CHECK: return ::graphprof::cuda::cudaMemcpyToSymbol(symbol, from, 4);
  auto pointer = &cudaMalloc;
  // CHECK: auto pointer = &cudaMalloc;
  cudaError_t (*release)(void *) = cudaFree;
  // CHECK: cudaError_t (*release)(void *) = ::graphprof::cuda::cudaFree;
  auto rows = &cudaMalloc3D; // has no overloads
  // CHECK: auto rows = &::graphprof::cuda::cudaMalloc3D; // has no overloads
  auto symbols = &cudaMemcpyFromSymbol;
  // CHECK: auto symbols = &cudaMemcpyFromSymbol;
  (void)symbols;
  (void)rows;
  api(cudaMalloc, &p, 4), api(cudaFree, p);
  // CHECK: api(cudaMalloc, &p, 4), api(::graphprof::cuda::cudaFree, p);
  return apply(cudaMalloc, &p, 4) ? pointer(&p, 4) : call<cudaMalloc>(&p) ? release(p) : cudaFree(p);
  // CHECK: return apply(cudaMalloc, &p, 4) ? pointer(&p, 4) : call<cudaMalloc>(&p) ? release(p) : ::graphprof::cuda::cudaFree(p);
}
