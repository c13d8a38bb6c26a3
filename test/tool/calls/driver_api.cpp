// RUN: %instrument %s -o %t.cpp -- %cxx
// RUN: FileCheck %s --match-full-lines < %t.cpp
// RUN: %instrument %t.cpp -o %t.again.cpp -- %cxx
// RUN: cmp %t.cpp %t.again.cpp
// RUN: %compile %t.cpp
//
// RUN: %instrument %s -o %t.ptsz.cpp -- %cxx -DCUDA_API_PER_THREAD_DEFAULT_STREAM
// RUN: grep -v '#define GRAPHPROF_' %t.cpp > %t.text
// RUN: grep -v '#define GRAPHPROF_' %t.ptsz.cpp | cmp %t.text -
//
// Calls of the driver API, whose names are macros for a version of the function: the name as written is what is redirected,
// a version that is written out is left away.

#include <cuda.h>

// CHECK:      #include <graphprof/cuda_driver.h>
// CHECK-NEXT: #include <graphprof/detail/named.h>
// CHECK-NEXT: #line 1 "{{.*}}driver_api.cpp"

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != CUDA_SUCCESS)                                                                                        \
      throw #call;                                                                                                     \
  } while (0)
// CHECK:     if ((GRAPHPROF_NAMED(call)) != CUDA_SUCCESS){{.*}}
void check(CUresult);
template <auto Function, class... T> void cuTry(T... t) { Function(t...); }

void forms(CUgraphExec e, CUgraph g, CUgraphNode n, CUstream s, const CUDA_KERNEL_NODE_PARAMS *p) {
  // CHECK-LABEL: void forms({{.*}}
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  // CHECK: ::graphprof::cuda::cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(cuStreamEndCapture(s, &g));
  // CHECK: CHECK(cuStreamEndCapture(s, &g));
  check(cuGraphInstantiate(&e, g, 0));
  // CHECK: check(::graphprof::cuda::cuGraphInstantiate(&e, g, 0));
  cuGraphInstantiateWithFlags(&e, g, 0);
  // CHECK: ::graphprof::cuda::cuGraphInstantiateWithFlags(&e, g, 0);
  cuGraphAddKernelNode_v2(&n, g, nullptr, 0, p);
  // CHECK: ::graphprof::cuda::cuGraphAddKernelNode(&n, g, nullptr, 0, p);
  ::cuGraphAddKernelNode(&n, g, nullptr, 0, p);
  // CHECK: ::graphprof::cuda::cuGraphAddKernelNode(&n, g, nullptr, 0, p);
  cuTry<cuGraphLaunch>(e, s);
  // CHECK: cuTry<::graphprof::cuda::cuGraphLaunch>(e, s);
  CUresult (*launch)(CUgraphExec, CUstream) = &cuGraphLaunch;
  // CHECK: CUresult (*launch)(CUgraphExec, CUstream) = &::graphprof::cuda::cuGraphLaunch;
  CUresult (*update)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *) = cuGraphExecUpdate;
  // CHECK: CUresult (*update)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *) = ::graphprof::cuda::cuGraphExecUpdate;
  if (!launch || !update || cuGraphUpload(e, s) != CUDA_SUCCESS)
    return;
  // CHECK: if (!launch || !update || ::graphprof::cuda::cuGraphUpload(e, s) != CUDA_SUCCESS)
}

void otherNodes(CUgraphExec e, CUgraph g, CUgraphNode n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *words,
                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *signal, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *wait) {
  // CHECK-LABEL: void otherNodes({{.*}}
  cuGraphAddBatchMemOpNode(&n, g, nullptr, 0, words);
  // CHECK: ::graphprof::cuda::cuGraphAddBatchMemOpNode(&n, g, nullptr, 0, words);
  cuGraphBatchMemOpNodeSetParams(n, words);
  // CHECK: ::graphprof::cuda::cuGraphBatchMemOpNodeSetParams(n, words);
  cuGraphExecBatchMemOpNodeSetParams(e, n, words);
  // CHECK: ::graphprof::cuda::cuGraphExecBatchMemOpNodeSetParams(e, n, words);
  cuGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, signal);
  // CHECK: ::graphprof::cuda::cuGraphAddExternalSemaphoresSignalNode(&n, g, nullptr, 0, signal);
  cuGraphExternalSemaphoresSignalNodeSetParams(n, signal);
  // CHECK: ::graphprof::cuda::cuGraphExternalSemaphoresSignalNodeSetParams(n, signal);
  cuGraphExecExternalSemaphoresSignalNodeSetParams(e, n, signal);
  // CHECK: ::graphprof::cuda::cuGraphExecExternalSemaphoresSignalNodeSetParams(e, n, signal);
  cuGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, wait);
  // CHECK: ::graphprof::cuda::cuGraphAddExternalSemaphoresWaitNode(&n, g, nullptr, 0, wait);
  cuGraphExternalSemaphoresWaitNodeSetParams(n, wait);
  // CHECK: ::graphprof::cuda::cuGraphExternalSemaphoresWaitNodeSetParams(n, wait);
  cuGraphExecExternalSemaphoresWaitNodeSetParams(e, n, wait);
  // CHECK: ::graphprof::cuda::cuGraphExecExternalSemaphoresWaitNodeSetParams(e, n, wait);
  cuGraphKernelNodeCopyAttributes(n, n);
  // CHECK: ::graphprof::cuda::cuGraphKernelNodeCopyAttributes(n, n);
}

void asks(CUgraph g, size_t *count) {
  // CHECK-LABEL: void asks({{.*}}
  cuGraphGetNodes(g, nullptr, count);
  // CHECK: {{^}}  ::graphprof::cuda::cuGraphGetNodes(g, nullptr, count);
}

// What is not listed stays.
void others(CUevent e, CUstream s) {
  // CHECK-LABEL: void others({{.*}}
  cuEventRecord(e, s);
  // CHECK: cuEventRecord(e, s);
}
