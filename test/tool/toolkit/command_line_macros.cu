// REQUIRES: toolkit
// RUN: %instrument %s -o %t.cu --strict -- -std=c++17 -DX=1 -DValue=2 -DName=4 -DResult=5 --extended-lambda
// RUN: FileCheck %s < %t.cu
//
// A macro of the command line's meets no header but those that it meets under nvcc. Nvcc's questions about lambdas depend on
// what they are asked of.

#include <type_traits>

template <class F, std::enable_if_t<!__nv_is_extended_device_lambda_closure_type(F), int> = 0> int choose(F) { return X; }
template <class F, std::enable_if_t<__nv_is_extended_device_lambda_closure_type(F), int> = 0> int choose(F) { return 0; }
template <class F>
using Preserved = std::enable_if_t<__nv_is_extended_device_lambda_with_preserved_return_type(F)>;

void run(cudaGraphExec_t e, cudaStream_t s) {
  // CHECK: {{^}}  ::graphprof::cuda::cudaGraphLaunch(e, s);
  cudaGraphLaunch(e, s);
  choose([] __host__ __device__() {});
}
