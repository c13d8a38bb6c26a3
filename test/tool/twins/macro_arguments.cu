// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
//
// A macro may use its argument several times. A call that is written once in it is rewritten once.

#include <cuda_runtime.h>

#define TWICE(e) ((e) + (e))
#define ALSO_ELSEWHERE(e) ((e) + elsewhere::e)
#define CALLED_AND_NAMED(e, name) ((e) + name(1))

namespace elsewhere {
__device__ int f(int x) { return x; }
} // namespace elsewhere
__device__ int f(int x) {
  [[graphprof::time("f")]] x += 1;
  return x;
}
__device__ int none() { [[graphprof::time("none")]] return 1; }

__global__ void k(int *p) {
  [[graphprof::time("a")]] p[0] = TWICE(f(p[1]));
  p[1] = TWICE(TWICE(f(none()))) + f(p[2]);
  // SAID: :[[#@LINE+1]]:25: warning: the regions inside 'f' are not timed in this call: a macro or a template calls another function here, too
  p[2] = ALSO_ELSEWHERE(f(p[1]));
  // SAID: 1 warning
  p[3] = CALLED_AND_NAMED(none(), elsewhere::f);
}

// CHECK: __global__ void k_graphprof_twin(
// CHECK-NEXT: p[0] = TWICE(f_graphprof_twin(graphprof_recorder, 1, p[1])); }
// CHECK-NEXT: p[1] = TWICE(TWICE(f_graphprof_twin(graphprof_recorder, 1, none_graphprof_twin(graphprof_recorder, 2)))) + f_graphprof_twin(graphprof_recorder, 1, p[2]);
// CHECK-NEXT: p[2] = ALSO_ELSEWHERE(f(p[1]));
// CHECK-NEXT: p[3] = CALLED_AND_NAMED(none_graphprof_twin(graphprof_recorder, 2), elsewhere::f);
// CHECK-NEXT: } GRAPHPROF_TWIN(k, k_graphprof_twin, {"a", __FILE__, 23}, {"f", __FILE__, 17}, {"none", __FILE__, 20})
