// docs/trace-viewer.html shows what a program's trace holds: rows of threads and streams with their
// regions nested, arrows from launches to replays, counters; compressed traces too, and it says of
// what it cannot read that it cannot.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_MEMORY=1 GRAPHPROF_OUTPUT=%t/trace.json,%t/packed.json.gz %t/program
// RUN: %python -c 'open(__import__("sys").argv[1], "w").write("{\"traceEvents\": [")' %t/broken.json
// RUN: node %S/Inputs/show_trace.js %S/../../docs/trace-viewer.html %t/trace.json %t/packed.json.gz %t/broken.json >%t/shown
// RUN: FileCheck %s --input-file=%t/shown
//
// CHECK:      title: trace.json{{$}}
// CHECK-NEXT: process: program
// CHECK-NEXT:   row: thread {{.*}} layer 0@0 attention@1 mlp@1 cudaGraphLaunch@0 cudaGraphLaunch@0{{$}}
// CHECK:      process: program
// CHECK-NEXT:   row: stream {{.*}} replay 0@0 layer 0@1 attention@2 mlp@2 {{.*}} replay 1@0 layer 0@1 attention@2 mlp@2{{$}}
// CHECK-NEXT:   counter: allocated bytes: device: {{[23]}} points, at most 4096
// CHECK-NEXT: arrow: thread {{.*}} -> stream
// CHECK-NEXT: arrow: thread {{.*}} -> stream
// CHECK-NEXT: painted: mlp
// CHECK-NEXT: found: 3 times, {{[1-9].*}}s
// CHECK-NEXT: title: packed.json.gz{{$}}
// CHECK:        row: stream {{.*}} mlp@2{{$}}
// CHECK:      painted: mlp
// CHECK:      title: broken.json cannot be shown: {{.}}

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, 4096);
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("layer {}", 0)]] {
    [[graphprof::time("attention")]] work<<<1, 32, 0, stream>>>(x);
    [[graphprof::time("mlp")]] work<<<2, 32, 0, stream>>>(x);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 2; ++replay)
    cudaGraphLaunch(exec, stream);
  const bool good = cudaStreamSynchronize(stream) == cudaSuccess;
  cudaFree(x);
  return good ? 0 : 1;
}
