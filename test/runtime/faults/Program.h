// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The common code of FaultProgram and AllocationProgram: uses everything that graphprof redirects,
// and prints all that it sees of CUDA: what each call returns, the pending error, and what the
// graphs computed.

#ifndef GRAPHPROF_TEST_FAULTS_PROGRAM_H
#define GRAPHPROF_TEST_FAULTS_PROGRAM_H

#include <cuda_runtime.h>

#include <cstddef>

#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"
#include "support/Work.h"

namespace graphprof::test {

namespace cuda = graphprof::cuda;

/// Prints like printf. Each program defines it.
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

inline void see(const char *what, cudaError_t status) {
  say("%s: %s, pending %s\n", what, cudaGetErrorName(status),
      cudaGetErrorName(cudaPeekAtLastError()));
}
#define SEE(call) ::graphprof::test::see(#call, call)

struct Program {
  cudaStream_t stream = nullptr, other = nullptr;
  unsigned char *byte = nullptr, *shown = nullptr;
  unsigned *steps = nullptr;

  // Sets the byte to `value` and copies it to the host, in a region.
  void set(int value) const {
    GRAPHPROF_SCOPE(1, "set {}", graphprof::on_stream(stream), value);
    SEE(cudaMemsetAsync(byte, value, 1, stream));
    SEE(cudaMemcpyAsync(shown, byte, 1, cudaMemcpyDeviceToHost, stream));
  }
  cudaGraph_t setting(int value) const {
    cudaGraph_t graph = nullptr;
    SEE(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    { // a kernel first: a replay may begin with this as a child
      GRAPHPROF_SCOPE(2, "work", graphprof::on_stream(stream));
      graphprof::test::shortWork(stream);
    }
    set(value);
    SEE(cuda::cudaStreamEndCapture(stream, &graph));
    return graph;
  }
  void launch(cudaGraphExec_t exec, cudaStream_t in) const {
    SEE(cuda::cudaGraphLaunch(exec, in));
    SEE(cudaStreamSynchronize(in));
    say("the byte is %d\n", *shown);
  }
  static cudaGraphNode_t nodeOf(cudaGraph_t graph, cudaGraphNodeType wanted) {
    cudaGraphNode_t nodes[32];
    std::size_t count = 32;
    cudaGraphGetNodes(graph, nodes, &count);
    for (std::size_t i = 0; i < count; ++i) {
      cudaGraphNodeType type{};
      cudaGraphNodeGetType(nodes[i], &type);
      if (type == wanted)
        return nodes[i];
    }
    return nullptr;
  }

  void begin() {
    SEE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    SEE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    SEE(cudaMalloc(&byte, 1));
    SEE(cudaMallocHost(&shown, 1));
    SEE(cudaMallocHost(&steps, sizeof *steps));
    *shown = 0;
  }

  void replays() const {
    const cudaGraph_t graph = setting(1);
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    SEE(cuda::cudaGraphUpload(exec, stream));
    launch(exec, stream);
    launch(exec, other);
    graphprof::stop();
    launch(exec, stream);
    graphprof::start();
    launch(exec, other);
    launch(exec, stream);

    const cudaGraph_t second = setting(2);
    cudaGraphExecUpdateResultInfo info{};
    SEE(cuda::cudaGraphExecUpdate(exec, second, &info));
    launch(exec, stream);
    cudaMemsetParams three{};
    three.dst = byte;
    three.value = 3;
    three.elementSize = three.width = three.height = 1;
    SEE(cuda::cudaGraphExecMemsetNodeSetParams(exec, nodeOf(graph, cudaGraphNodeTypeMemset),
                                               &three));
    launch(exec, stream);
    SEE(cuda::cudaGraphNodeSetEnabled(exec, nodeOf(graph, cudaGraphNodeTypeMemset), 0));
    SEE(cudaMemset(byte, 9, 1));
    launch(exec, stream);

    cudaGraph_t clone = nullptr;
    cudaGraphExec_t cloned = nullptr;
    SEE(cuda::cudaGraphClone(&clone, second));
    SEE(cuda::cudaGraphInstantiate(&cloned, clone, 0ULL));
    launch(cloned, stream);
    for (const cudaGraphExec_t each : {cloned, exec})
      SEE(cuda::cudaGraphExecDestroy(each));
    for (const cudaGraph_t each : {clone, second, graph})
      SEE(cuda::cudaGraphDestroy(each));
  }

  void failures() const {
    const cudaGraph_t graph = setting(4);
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    cudaGraph_t empty = nullptr;
    SEE(cudaGraphCreate(&empty, 0));
    cudaGraphExecUpdateResultInfo info{};
    SEE(cuda::cudaGraphExecUpdate(exec, empty, &info)); // refused
    launch(exec, stream);                               // and the error stays pending
    SEE(cudaGetLastError());
    SEE(cuda::cudaGraphDestroy(empty));
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(graph));
    cudaGraph_t none = nullptr;
    SEE(cuda::cudaStreamEndCapture(stream, &none));
    SEE(cudaGetLastError());
  }

  // A graph that is timed in place. graphprof's nodes in it must not be visible.
  void withMemory() const {
    cudaGraph_t graph = nullptr;
    void *memory = nullptr;
    SEE(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SEE(cudaMallocAsync(&memory, 64, stream));
    set(5);
    SEE(cudaFreeAsync(memory, stream));
    SEE(cuda::cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    launch(exec, stream);
    graphprof::stop();
    launch(exec, stream);
    graphprof::start();
    launch(exec, other);
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(graph));
  }

  // Allocations that graphprof only counts.
  void allocations() const {
    cudaPitchedPtr pitched{};
    SEE(cuda::cudaMalloc3D(&pitched, make_cudaExtent(4, 4, 4)));
    SEE(cuda::cudaFree(pitched.ptr));
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t node = nullptr;
    cudaMemAllocNodeParams params{};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location = {cudaMemLocationTypeDevice, 0};
    params.bytesize = 64;
    SEE(cuda::cudaGraphCreate(&graph, 0));
    SEE(cuda::cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
    SEE(cuda::cudaGraphAddMemFreeNode(&node, graph, &node, 1, params.dptr));
    SEE(cuda::cudaGraphDestroy(graph));
  }

  // A loop whose body and surrounding graph contain graphprof's nodes.
  void withBody() const {
    cudaGraph_t graph = nullptr, captured = nullptr, same = nullptr;
    cudaGraphNodeParams params{};
    cudaGraphNode_t node = nullptr;
    SEE(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    set(10);
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t *frontier = nullptr;
    std::size_t count = 0;
    SEE(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &frontier, nullptr, &count));
    params.type = cudaGraphNodeTypeConditional;
    SEE(cudaGraphConditionalHandleCreate(&params.conditional.handle, captured, 1,
                                         cudaGraphCondAssignDefault));
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    SEE(cuda::cudaGraphAddNode(&node, captured, frontier, nullptr, count, &params));
    SEE(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
    SEE(cuda::cudaStreamBeginCaptureToGraph(other, params.conditional.phGraph_out[0], nullptr,
                                            nullptr, 0, cudaStreamCaptureModeGlobal));
    {
      GRAPHPROF_SCOPE(3, "step", graphprof::on_stream(other));
      graphprof::test::countDown(other, steps, params.conditional.handle);
    }
    SEE(cuda::cudaStreamEndCapture(other, &same));
    SEE(cuda::cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    for (const unsigned times : {3U, 1U}) {
      *steps = times;
      launch(exec, stream);
      say("%u steps are left\n", *steps);
    }
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(graph));
  }

  void withChild() const {
    const cudaGraph_t child = setting(11), other = setting(12);
    cudaGraph_t graph = nullptr, captured = nullptr;
    cudaGraphNode_t node = nullptr;
    SEE(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    graphprof::test::shortWork(stream); // for which the children can wait, below
    set(13);
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t *frontier = nullptr;
    std::size_t count = 0;
    SEE(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &frontier, nullptr, &count));
    SEE(cuda::cudaGraphAddChildGraphNode(&node, captured, frontier, count, child));
    SEE(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
    SEE(cuda::cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    SEE(cudaGraphGetNodes(graph, nullptr, &nodes));
    say("%zu nodes\n", nodes);
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    launch(exec, stream);
    SEE(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
    launch(exec, stream);
    SEE(cuda::cudaGraphExecDestroy(exec));

    cudaGraph_t built = nullptr, clone = nullptr;
    SEE(cuda::cudaGraphCreate(&built, 0));
    SEE(cuda::cudaGraphAddChildGraphNode(&node, built, nullptr, 0, graph));
    SEE(cuda::cudaGraphClone(&clone, built));
    for (const cudaGraph_t each : {built, clone}) {
      SEE(cuda::cudaGraphInstantiate(&exec, each, 0ULL));
      launch(exec, stream);
      SEE(cuda::cudaGraphExecDestroy(exec));
    }
    for (const cudaGraph_t each : {clone, built, graph, other, child})
      SEE(cuda::cudaGraphDestroy(each));
  }

  void built() const {
    cudaGraph_t graph = nullptr, clone = nullptr;
    cudaGraphNode_t node = nullptr;
    SEE(cuda::cudaGraphCreate(&graph, 0));
    cudaMemsetParams params{};
    params.dst = byte;
    params.elementSize = params.width = params.height = 1;
    for (const unsigned value : {7U, 8U}) {
      GRAPHPROF_SCOPE(1, "set {}", graphprof::on_capture(), value);
      params.value = value;
      const cudaGraphNode_t behind = node;
      SEE(cuda::cudaGraphAddMemsetNode(&node, graph, &behind, behind ? 1 : 0, &params));
    }
    SEE(cuda::cudaGraphAddMemcpyNode1D(&node, graph, &node, 1, shown, byte, 1,
                                       cudaMemcpyDeviceToHost));
    cudaGraphExec_t exec = nullptr, cloned = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    launch(exec, stream);
    SEE(cuda::cudaGraphClone(&clone, graph));
    SEE(cuda::cudaGraphInstantiate(&cloned, clone, 0ULL));
    launch(cloned, stream);
    cudaGraphExecUpdateResultInfo info{};
    SEE(cuda::cudaGraphExecUpdate(exec, clone, &info));
    launch(exec, other);
    for (const cudaGraphExec_t each : {cloned, exec})
      SEE(cuda::cudaGraphExecDestroy(each));
    for (const cudaGraph_t each : {clone, graph})
      SEE(cuda::cudaGraphDestroy(each));
  }

  // A graph that is changed after its capture. graphprof repeats a change of its clone, which is
  // timed by then: the third call of each.
  void edited() const {
    const cudaGraph_t graph = setting(10);
    cudaMemsetParams params{};
    params.dst = byte;
    params.value = 11;
    params.elementSize = params.width = params.height = 1;
    SEE(cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &params));
    cudaKernelNodeParams kernel{};
    kernel.func = graphprof::test::longKernel();
    kernel.gridDim = kernel.blockDim = dim3(1);
    SEE(cuda::cudaGraphKernelNodeSetParams(nodeOf(graph, cudaGraphNodeTypeKernel), &kernel));
    cudaGraph_t clone = nullptr;
    SEE(cuda::cudaGraphClone(&clone, graph));
    params.value = 12;
    SEE(cuda::cudaGraphMemsetNodeSetParams(nodeOf(clone, cudaGraphNodeTypeMemset), &params));
    SEE(cuda::cudaGraphKernelNodeSetParams(nodeOf(clone, cudaGraphNodeTypeKernel), &kernel));
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, clone, 0ULL));
    launch(exec, stream);
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(clone));
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    launch(exec, stream);
    kernel.func = graphprof::test::shortKernel();
    SEE(cuda::cudaGraphExecKernelNodeSetParams(exec, nodeOf(graph, cudaGraphNodeTypeKernel),
                                               &kernel));
    launch(exec, stream);
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(graph));
  }

  // Execs that are made while nothing is recorded, and change before the first recorded launch.
  void late() const {
    const cudaGraph_t graph = setting(1), second = setting(2);
    cudaGraphExec_t idle = nullptr, updated = nullptr, changed = nullptr;
    graphprof::stop();
    for (cudaGraphExec_t *exec : {&idle, &updated, &changed})
      SEE(cuda::cudaGraphInstantiate(exec, graph, 0ULL));
    cudaGraphExecUpdateResultInfo info{};
    SEE(cuda::cudaGraphExecUpdate(updated, second, &info));
    cudaMemsetParams params{};
    params.dst = byte;
    params.value = 3;
    params.elementSize = params.width = params.height = 1;
    const cudaGraphNode_t node = nodeOf(graph, cudaGraphNodeTypeMemset);
    SEE(cuda::cudaGraphExecMemsetNodeSetParams(changed, node, &params));
    params.value = 4; // of the graph alone
    SEE(cuda::cudaGraphMemsetNodeSetParams(node, &params));
    graphprof::start();
    for (const cudaGraphExec_t exec : {idle, updated, changed}) {
      launch(exec, stream);
      launch(exec, stream);
    }
    for (const cudaGraphExec_t exec : {idle, updated, changed})
      SEE(cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t each : {second, graph})
      SEE(cuda::cudaGraphDestroy(each));
  }

  // A graph without regions, which only node mode times.
  void unannotated() const {
    cudaGraph_t graph = nullptr;
    SEE(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SEE(cudaMemsetAsync(byte, 12, 1, stream));
    graphprof::test::shortWork(stream);
    SEE(cudaMemcpyAsync(shown, byte, 1, cudaMemcpyDeviceToHost, stream));
    SEE(cuda::cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = nullptr;
    SEE(cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    launch(exec, stream);
    SEE(cuda::cudaGraphExecDestroy(exec));
    SEE(cuda::cudaGraphDestroy(graph));
  }

  void eager() const {
    GRAPHPROF_SCOPE(1, "all", graphprof::on_stream(stream));
    set(6);
    SEE(cudaStreamSynchronize(stream));
    say("the byte is %d\n", *shown);
  }

  void all() const {
    replays();
    failures();
    withMemory();
    allocations();
    withBody();
    withChild();
    built();
    edited();
    late();
    unannotated();
    eager();
  }

  void end() const {
    SEE(cudaFree(byte));
    SEE(cudaFreeHost(shown));
    SEE(cudaFreeHost(steps));
    SEE(cudaStreamDestroy(other));
    SEE(cudaStreamDestroy(stream));
    SEE(cuda::cudaDeviceReset());
  }
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_FAULTS_PROGRAM_H
