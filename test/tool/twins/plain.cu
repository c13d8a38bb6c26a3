// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: sed '/^ *\/\//d' %t.cu | FileCheck %s
// RUN: %compile -Wno-unused-variable %t.cu
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda
// RUN: cmp %t.cu %t.again.cu
//
// Behind a kernel with annotated statements stands its timed twin. The kernel only loses its annotations, and what comes behind
// both keeps its line.
// SAID-NOT: warning
// SAID: 0 regions, 0 redirected calls, 7 regions inside 2 kernels

#include <cuda_runtime.h>

namespace ours {
static __global__ void copy(const float *from, float *to, int n = 1) {
  [[graphprof::time("load")]] {
    to[0] = from[0];
  }
  [[graphprof::time("store")]] to[1] = from[1];
  for (int i = 0; i < n; ++i) {
    [[graphprof::time("turn")]] {
      if (i == 3)
        continue;
      if (i == 4)
        return;
    }
  }
  [[graphprof::time("loop")]]
#pragma unroll
  for (int i = 0; i < 4; ++i)
    to[i] = 0;
  [[graphprof::time]] for (int i = 0; i < 4; ++i) to[i] = 1;
} // behind
int line = __LINE__;
} // namespace ours

extern "C" __global__ void alone(void) { [[graphprof::time("a")]] {} [[graphprof::time("b")]] { return; } }

// The kernel:
// CHECK: #include <graphprof/device/twin.h>
// CHECK: static __global__ void copy(const float *from, float *to, int n = 1) {
// CHECK-NEXT: {{^  \{$}}
// CHECK: {{^  to\[1\] = from\[1\];$}}
// Its twin:
// CHECK: #line 15
// CHECK-NEXT: static __global__ void copy_graphprof_twin(GRAPHPROF_RECORDING graphprof_recording, const float *from, float *to, int n = 1) { ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0);
// CHECK-NEXT: to[0] = from[0];
// CHECK-NEXT: }
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_1(graphprof_recorder, 1); to[1] = from[1]; }
// CHECK-NEXT: for (
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_2(graphprof_recorder, 2);
// CHECK: { ::graphprof::device::Scope graphprof_scope_3(graphprof_recorder, 3);
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 4; ++i)
// CHECK-NEXT: to[i] = 0; }
// CHECK-NEXT: { ::graphprof::device::Scope graphprof_scope_4(graphprof_recorder, 4); for (int i = 0; i < 4; ++i) to[i] = 1; }
// CHECK-NEXT: } GRAPHPROF_TWIN(copy, copy_graphprof_twin, {"load", __FILE__, 16}, {"store", __FILE__, 19}, {"turn", __FILE__, 21}, {"loop", __FILE__, 28}, {"copy:32", __FILE__, 32})
// CHECK-NEXT: #line 33
// CHECK: {{^}}int line = __LINE__;
// CHECK: {{^}}extern "C" __global__ void alone(void) { {} { return; } }
// CHECK: {{^}}extern "C" __global__ void alone_graphprof_twin(GRAPHPROF_RECORDING graphprof_recording) { ::graphprof::device::Recorder graphprof_recorder(graphprof_recording); { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0);} { ::graphprof::device::Scope graphprof_scope_1(graphprof_recorder, 1); return; } } GRAPHPROF_TWIN(alone, alone_graphprof_twin,
