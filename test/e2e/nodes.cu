// A program without an annotation: the tool redirects its graph calls and does nothing else, and
// GRAPHPROF_NODES=1 times every kernel, copy and memset, by name, in table, replays and trace.
// Kernels of one name have a row each in the table, and one in key averages. Without it nothing is recorded, and the table says
// what would help. A line names the files.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: not grep -E "GRAPHPROF_(SCOPE|TIMED)" %t/copy.cu
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=table:%t/table,replays:%t/replays,%t/trace.json,key_averages:%t/averages %t/program 2>&1 | FileCheck %s --check-prefix=WROTE
// RUN: FileCheck %s --check-prefix=AVERAGES --input-file=%t/averages
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// RUN: FileCheck %s --check-prefix=REPLAYS --input-file=%t/replays
// RUN: %python -c 'import json,sys; json.load(open(sys.argv[1]))' %t/trace.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/trace.json
// RUN: env GRAPHPROF_OUTPUT=table:%t/off %t/program
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t/off
// RUN: env GRAPHPROF_NODES=all GRAPHPROF_OUTPUT= %t/program 2>&1 | FileCheck %s --check-prefix=WRONG

namespace model {
template <class Element> __global__ void scale(Element *x, int by) { *x *= by; }
} // namespace model
__global__ void bias(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr, *shown = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, 1024);
  cudaMallocHost(&shown, 1024);
  cudaStreamCreate(&stream);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, 1024, stream);
  for (int layer = 0; layer < 2; ++layer) {
    model::scale<<<1, 32, 0, stream>>>(x, 3);
    bias<<<1, 32, 0, stream>>>(x);
  }
  cudaMemcpyAsync(shown, x, 1024, cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 3; ++replay)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// TABLE:      Region {{.*}}Count {{.*}}% of replay
// TABLE:      {{^}}Memset (Device) 2 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}model::scale<float> 2 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}bias 2 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}model::scale<float> #2 2 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}bias #2 2 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}Memcpy DtoH (Device -> Pinned) 2 {{.*}}us {{.*}}%
// TABLE:      3 replays of 1 exec of 1 graph
// TABLE-NOT:  lost

// REPLAYS:      --- graph 1, exec 1, replay 1 ---
// REPLAYS-NEXT: {{^}}Memset (Device): {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}model::scale<float>: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}bias: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}model::scale<float> #2: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}bias #2: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}Memcpy DtoH (Device -> Pinned): {{[0-9.]+}} us

// TRACE-DAG: "cat":"gpu_memset"{{.*}}"name":"Memset (Device)"{{.*}}"bytes":1024
// TRACE-DAG: "cat":"kernel"{{.*}}"name":"model::scale<float>"
// TRACE-DAG: "cat":"kernel"{{.*}}"name":"model::scale<float>","args":{{[{]}}{{.*}}"place":2
// AVERAGES:     {{^ *}}bias {{.*}} 4{{ *$}}
// AVERAGES:     {{^ *}}model::scale<float> {{.*}} 4{{ *$}}
// TRACE-DAG: "cat":"gpu_memcpy"{{.*}}"name":"Memcpy DtoH (Device -> Pinned)"{{.*}}"bytes":1024
// TRACE-DAG: "cat":"graphprof_replay"

// WROTE: {{^}}graphprof: wrote {{.*}}/table, {{.*}}/replays, {{.*}}/trace.json, {{.*}}/averages{{$}}

// OFF: nothing was recorded: 1 exec was replayed of graphs without a region; annotate the code that captures them, or set GRAPHPROF_NODES=1 to time every kernel

// WRONG: GRAPHPROF_NODES=all: must be 0 or 1; using 0
