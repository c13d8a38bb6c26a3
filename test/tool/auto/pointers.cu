// RUN: %instrument --auto launches %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --match-full-lines < %t.cu
// RUN: %instrument --auto launches %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile %t.cu
// RUN: %instrument --auto launches --select '^math::add$' %s -o %t.selected.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SELECTED
//
// A launch through a pointer has the text of the pointer for a name. --select goes by the kernel where the pointer never holds another.
// SAID-NOT: warning
// SAID: 0 regions, 0 redirected calls, 11 launches timed
// SELECTED: 2 launches timed, 9 not (9 not selected)

#include <cuda_runtime.h>

namespace math {
__global__ void add(int n) {}
__global__ void sub(int n) {}
} // namespace math
using Kernel = void (*)(int);
struct Operator {
  Kernel kernel;
  Kernel find(int) const;
};
Kernel table[] = {math::add, math::sub};
void *const Constant = (void *)math::sub;

template <Kernel K> void constant(cudaStream_t s) { K<<<1, 1, 0, s>>>(1); }
// CHECK: template <Kernel K> void constant(cudaStream_t s) { (GRAPHPROF_TIMED({{[0-9]+}}, "K", ::graphprof::on_stream(s)), K<<<1, 1, 0, s>>>(1)); }
template <class K, class... T> void helper(K kernel, T... arguments) { kernel<<<1, 1>>>(arguments...); }
// CHECK: template <class K, class... T> void helper(K kernel, T... arguments) { (GRAPHPROF_TIMED({{[0-9]+}}, "kernel", ::graphprof::on_stream(0)), kernel<<<1, 1>>>(arguments...)); }

void run(bool cond, int i, const Operator &op, cudaStream_t s) {
  void (*k)(int) = cond ? math::add : math::sub;
  k<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "k", ::graphprof::on_stream(s)), k<<<1, 1, 0, s>>>(1));
  cudaLaunchKernel((void *)k, 1, 1, nullptr, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "k", ::graphprof::on_stream(s)), cudaLaunchKernel((void *)k, 1, 1, nullptr, 0, s));
  (*k)<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "k", ::graphprof::on_stream(s)), (*k)<<<1, 1, 0, s>>>(1));
  (cond ? math::add : math::sub)<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "cond ? math::add : math::sub", ::graphprof::on_stream(s)), (cond ? math::add : math::sub)<<<1, 1, 0, s>>>(1));
  table[i]<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "table[i]", ::graphprof::on_stream(s)), table[i]<<<1, 1, 0, s>>>(1));
  op.kernel<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "kernel", ::graphprof::on_stream(s)), op.kernel<<<1, 1, 0, s>>>(1));
  op.find(i)<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "op.find(i)", ::graphprof::on_stream(s)), op.find(i)<<<1, 1, 0, s>>>(1));
  auto *only = &math::add;
  only<<<1, 1, 0, s>>>(1);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "only", ::graphprof::on_stream(s)), only<<<1, 1, 0, s>>>(1));
  const auto same = only;
  cudaLaunchKernel((const void *)same, 1, 1, nullptr, 0, s);
  // CHECK: (GRAPHPROF_TIMED({{[0-9]+}}, "same", ::graphprof::on_stream(s)), cudaLaunchKernel((const void *)same, 1, 1, nullptr, 0, s));
  constant<math::add>(s);
  helper(math::sub, 1);
}
