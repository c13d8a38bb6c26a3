// One rule for cold replays and one for shares, in every output: a graph with a loop that runs three times and a branch that is
// taken late, a graph that is launched once, and the same region outside graphs. The rules are in docs/output.md.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- -I%include %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_CLOCK=stamp GRAPHPROF_HOST_SPANS=1 GRAPHPROF_OUTPUT=table:%t/table,key_averages+statistics:%t/averages,graph:%t/graphs.json,%t/graphs.dot,%t/run.csv,%t/run.jsonl,%t/run.db,%t/run.gprof,%t/trace.json,replays:%t/replays %t/program %t/stacks > %t/out
// RUN: %python %S/Inputs/compare.py %t
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// RUN: FileCheck %s --check-prefix=AVERAGES --input-file=%t/averages
// RUN: FileCheck %s --check-prefix=STACKS --input-file=%t/stacks
// RUN: FileCheck %s --check-prefix=REPLAYS --input-file=%t/replays
// RUN: FileCheck %s --check-prefix=DOT --input-file=%t/graphs.dot
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t/out
//
// What a file of the run gives is the same.
// RUN: %convert %t/run.gprof table:%t/table2 key_averages+statistics:%t/averages2 %t/run2.csv
// RUN: cmp %t/table %t/table2
// RUN: cmp %t/averages %t/averages2
// RUN: cmp %t/run.csv %t/run2.csv
//
// Events take no bodies; then the rest is by the same rules.
// RUN: env GRAPHPROF_CLOCK=event GRAPHPROF_OUTPUT=table:%t/table,key_averages+statistics:%t/averages,graph:%t/graphs.json,%t/run.csv,%t/run.jsonl,%t/events.db %t/program %t/stacks > %t/out 2> %t/err
// RUN: mv %t/events.db %t/run.db
// RUN: %python %S/Inputs/compare.py %t
//
// The loop: replay 0 is the exec's first, and 2 takes the branch for the first time.
// TABLE:      {{^}}loop 2
// TABLE-NEXT: {{^}} turn 6
// TABLE-NEXT: {{^}} branch 1
// TABLE-NEXT: {{^}}(outside all regions) 2
// TABLE-NEXT: in cold replays only
// TABLE-NEXT: {{^}} once 1
// TABLE-NEXT: outside graphs
// TABLE-NEXT: {{^}} loop 4
// TABLE:      5 replays of 2 execs of 2 graphs
// TABLE-NEXT: 3 cold replays left out, except for what ran in no warm one: some code ran for the first time; launch each graph again
//
// AVERAGES-DAG: {{ }}once (cold) {{.*}} 100.00%
// AVERAGES-DAG: {{ }}cudaGraphLaunch {{.*}} 5 {{.*}}
// AVERAGES-DAG: Self CUDA time total: {{[0-9.]+}}us (cold)
//
// STACKS:     {{^}}(cold);once {{[0-9]+$}}
// STACKS-NOT: cold
//
// REPLAYS:     --- graph 1, exec 1, replay 0, step 0 (cold) ---
// REPLAYS:     --- graph 1, exec 1, replay 1, step 1 ---
// REPLAYS:     --- graph 1, exec 1, replay 2, step 2 (cold) ---
// REPLAYS:     --- graph 1, exec 1, replay 3, step 3 ---
// REPLAYS:     --- graph 2, exec 2, replay 0 (cold) ---
//
// DOT: graph 2: 1 replay, {{.*}} in the median (cold)
// DOT: once\n{{.*}} (cold)
//
// OUT: launch: 0 rows apart

#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <cudasim/cudasim.h>
#include <graphprof/graphprof.h>

__global__ void turn(unsigned *left, cudaGraphConditionalHandle handle) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left);
}
__global__ void choose(unsigned *taken, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, *taken);
}
__global__ void work() {}

static cudaGraphNode_t addNode(cudaStream_t stream, cudaGraphConditionalHandle handle,
                               cudaGraphConditionalNodeType type, cudaGraph_t *body) {
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *frontier = nullptr;
  cudaGraph_t captured;
  size_t count = 0;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &frontier, nullptr, &count);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = 1;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, captured, frontier, nullptr, count, &params);
  cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies);
  *body = params.conditional.phGraph_out[0];
  return node;
}

static cudaGraphConditionalHandle makeHandle(cudaStream_t stream, unsigned first) {
  cudaStreamCaptureStatus status;
  cudaGraph_t captured;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, nullptr, nullptr, nullptr);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, captured, first, cudaGraphCondAssignDefault);
  return handle;
}

int main(int, char **argv) {
  cudasim::registerKernel(
      "turn", {8, 8},
      [](void **params, std::uint64_t, std::uint64_t) {
        unsigned &left = **static_cast<unsigned **>(params[0]);
        cudasim::setConditional(*static_cast<unsigned long long *>(params[1]), --left);
      },
      20'000);
  cudasim::registerKernel(
      "choose", {8, 8},
      [](void **params, std::uint64_t, std::uint64_t) {
        cudasim::setConditional(*static_cast<unsigned long long *>(params[1]),
                                **static_cast<unsigned **>(params[0]));
      },
      1'000);
  cudasim::setKernelDuration("work", 50'000);
  graphprof::profile profile;
  unsigned *left = nullptr, *taken = nullptr;
  cudaMallocHost(&left, sizeof *left);
  cudaMallocHost(&taken, sizeof *taken);
  cudaStream_t stream, inner;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&inner);
  cudaGraph_t graph, other, body, same;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("loop", stream = stream)]] {
    const cudaGraphConditionalHandle again = makeHandle(stream, 1);
    addNode(stream, again, cudaGraphCondTypeWhile, &body);
    cudaStreamBeginCaptureToGraph(inner, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    [[graphprof::time("turn")]] turn<<<1, 1, 0, inner>>>(left, again);
    cudaStreamEndCapture(inner, &same);
    const cudaGraphConditionalHandle branch = makeHandle(stream, 0);
    choose<<<1, 1, 0, stream>>>(taken, branch);
    addNode(stream, branch, cudaGraphCondTypeIf, &body);
    cudaStreamBeginCaptureToGraph(inner, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    [[graphprof::time("branch")]] work<<<1, 1, 0, inner>>>();
    cudaStreamEndCapture(inner, &same);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("once")]] work<<<1, 1, 0, stream>>>();
  cudaStreamEndCapture(stream, &other);
  cudaGraphExec_t exec, execOnce;
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphInstantiate(&execOnce, other, 0);
  for (const unsigned isTaken : {0U, 0U, 1U, 1U}) [[graphprof::step]] {
    *left = 3;
    *taken = isTaken;
    cudaGraphLaunch(exec, stream);
    [[graphprof::time("loop")]] work<<<1, 1, 0, stream>>>();
    cudaStreamSynchronize(stream);
  }
  cudaGraphLaunch(execOnce, stream);
  cudaStreamSynchronize(stream);
  profile.stop();
  profile.export_stacks(argv[1]);

  // Each launch's device time is that of its warm replay.
  int apart = 0;
  for (const graphprof::FunctionEventAvg &row : profile.key_averages())
    if (row.key == "cudaGraphLaunch")
      apart += row.device_time * 2 != row.device_time_total;
  std::printf("launch: %d rows apart\n", apart);
}
