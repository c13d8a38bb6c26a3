// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The few cuBLAS calls that the decode step makes, found at run time, so that the program starts
// where there is no cuBLAS.

#ifndef GRAPHPROF_BENCHMARK_CUBLAS_H
#define GRAPHPROF_BENCHMARK_CUBLAS_H

#include <cstddef>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace benchmark {

/// A cuBLAS handle with a workspace of its own (one that cuBLAS allocated during capture would put
/// memory nodes into the graph). Throws where libcublas.so.13 is not found.
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
