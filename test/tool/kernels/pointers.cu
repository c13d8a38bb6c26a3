// RUN: %instrument %s -o %t.cu -- %cuda > %t.said 2>&1
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not=warning: < %t.said
// RUN: %instrument --auto launches %s -o %t.all.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=warning:
// RUN: %compile %t.cu
//
// An annotated kernel is timed through a variable that never holds anything else. Where it is handed on, the tool says what is missed.
// SAID-COUNT-5: warning: the annotated kernel '{{scale|rest}}' is passed on here, and launches through that are not timed; annotate those launches, or use --auto launches
// SAID: 0 regions, 0 redirected calls, 4 launches timed, 5 warnings
// ALL: 7 launches timed

#include <cuda_runtime.h>

[[graphprof::time("scale {}", 2)]] __global__ void scale(float *x) {}
__global__ void other(float *x) {}
extern "C" cudaError_t cudaFuncSetMadeUp(const void *);
using Kernel = void (*)(float *);
void launch(Kernel kernel);
const Kernel Constant = scale;
Kernel variable = scale;
Kernel table[] = {other, scale};

void run(float *x, bool cond, cudaStream_t s) {
  auto kernel = scale;
  cudaFuncSetMadeUp((const void *)kernel);
  kernel<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale {}", ::graphprof::on_stream(s), 2), kernel<<<1, 1, 0, s>>>(x));
  cudaLaunchKernel((void *)kernel, 1, 1, nullptr, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale {}", ::graphprof::on_stream(s), 2), cudaLaunchKernel((void *)kernel, 1, 1, nullptr, 0, s));
  Constant<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale {}", ::graphprof::on_stream(s), 2), Constant<<<1, 1, 0, s>>>(x));
  const auto &reference = kernel;
  reference<<<1, 1, 0, s>>>(x);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "scale {}", ::graphprof::on_stream(s), 2), reference<<<1, 1, 0, s>>>(x));

  variable<<<1, 1, 0, s>>>(x);
  // CHECK: variable<<<1, 1, 0, s>>>(x);
  Kernel chosen = cond ? scale : other;
  chosen<<<1, 1, 0, s>>>(x);
  // CHECK: chosen<<<1, 1, 0, s>>>(x);
  Kernel rest = scale;
  if (cond) rest = other;
  rest<<<1, 1, 0, s>>>(x);
  // CHECK: rest<<<1, 1, 0, s>>>(x);
  launch(scale);
}
