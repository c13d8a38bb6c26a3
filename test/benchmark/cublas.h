// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cuBLAS calls of the decode step, found at run time, so that the program starts without
// cuBLAS.

#ifndef GRAPHPROF_BENCHMARK_CUBLAS_H
#define GRAPHPROF_BENCHMARK_CUBLAS_H

#include <cstddef>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace benchmark {

/// A cuBLAS handle with its own workspace. (cuBLAS would allocate one during capture, which adds
/// memory nodes to the graph.) Throws if libcublas.so.13 is not found.
class Cublas {
public:
  Cublas();
  ~Cublas();
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;

  /// y = W x + beta y, with W of `rows` x `columns` elements, row by row.
  void gemv(cudaStream_t stream, int rows, int columns, const __half *W, const __half *x,
            float beta, __half *y) const;

private:
  struct Functions;
  Functions *functions_;
  void *handle_ = nullptr;
  void *workspace_ = nullptr;
};

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_CUBLAS_H
