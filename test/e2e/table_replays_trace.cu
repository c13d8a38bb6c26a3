// From annotated source to the three outputs: the table, every replay, and a Chrome trace. Regions
// nest, one stands outside the graph, one carries a value that is no part of its name.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=table,table:%t/all,replays:%t/replays,%t/trace.json %t/program 2>%t/table
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// RUN: FileCheck %s --check-prefix=ALL --input-file=%t/all
// RUN: FileCheck %s --check-prefix=REPLAYS --input-file=%t/replays
// RUN: %python -c 'import json,sys; json.load(open(sys.argv[1]))' %t/trace.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/trace.json

__global__ void work(float *x) { *x += 1.0F; }

void forward(int layer, float *x, cudaStream_t stream) {
  [[graphprof::time("layer {}", layer, width = 1024)]] {
    [[graphprof::time("attention")]] work<<<1, 32, 0, stream>>>(x);
    [[graphprof::time("mlp")]] work<<<2, 32, 0, stream>>>(x);
  }
}

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  [[graphprof::time("set up")]] cudaMemsetAsync(x, 0, sizeof(float), stream);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int layer = 0; layer < 2; ++layer)
    forward(layer, x, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 4; ++replay)
    cudaGraphLaunch(exec, stream); // none waits for the one before
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// TABLE:      Region {{.*}}Count {{.*}}Median {{.*}}% of replay
// TABLE:      {{^}}layer {} ×2 6 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}  attention ×2 6 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}  mlp ×2 6 {{.*}}us {{.*}}%
// TABLE-NEXT: {{^}}outside graphs
// TABLE-NEXT: {{^}}  set up 1
// TABLE:      4 replays of 1 exec of 1 graph
// TABLE:      1 cold replay left out
// TABLE:      1 region timed outside graphs
// TABLE-NOT:  lost

// ALL:      Region {{.*}}Count {{.*}}Median {{.*}}% of replay
// ALL:      {{^}}layer 0 3 {{.*}}us {{.*}}%
// ALL-NEXT: {{^}}  attention 3 {{.*}}us {{.*}}%
// ALL-NEXT: {{^}}  mlp 3 {{.*}}us {{.*}}%
// ALL-NEXT: {{^}}layer 1 3
// ALL-NEXT: {{^}}  attention 3
// ALL-NEXT: {{^}}  mlp 3
// ALL-NEXT: {{^}}outside graphs
// ALL-NEXT: {{^}}  set up 1
// ALL:      4 replays of 1 exec of 1 graph
// ALL:      1 cold replay left out
// ALL:      1 region timed outside graphs
// ALL-NOT:  lost

// REPLAYS:      set up: {{[0-9.]+}} us (outside graphs)
// REPLAYS-NEXT: --- graph 1, exec 1, replay 0 (cold) ---
// REPLAYS-NEXT: {{^}}layer 0: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}  attention: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}  mlp: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}layer 1: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}  attention: {{[0-9.]+}} us
// REPLAYS-NEXT: {{^}}  mlp: {{[0-9.]+}} us
// REPLAYS-NEXT: --- graph 1, exec 1, replay 1 ---
// REPLAYS:      --- graph 1, exec 1, replay 2 ---
// REPLAYS:      --- graph 1, exec 1, replay 3 ---
// REPLAYS-NEXT: {{^}}layer 0: {{[0-9.]+}} us

// TRACE-DAG: "name":"layer
// 1"{{.*}}"source":"{{.*}}table_replays_trace.cu:16"{{.*}}"function":"forward"{{.*}}"context":{"0":1,"width":1024}
// TRACE-DAG: "cat":"graphprof_replay"
// TRACE-DAG: "cat":"cuda_runtime"{{.*}}"name":"cudaGraphLaunch"{{.*}}"replay":3,
// TRACE-DAG: "cat":"cpu_op"{{.*}}"name":"layer 1"{{.*}}"captured":true
// TRACE-DAG: "name":"thread_name"{{.*}}"name":"thread {{[0-9]+}} ({{.+}})"
// TRACE-DAG: "name":"set up"
