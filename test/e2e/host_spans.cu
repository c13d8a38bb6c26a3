// What the host did goes into the outputs that are written while the program runs where it is asked
// for, and what is made of the binary file later is what the program itself would have written.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
//
// RUN: env GRAPHPROF_HOST_SPANS=1 RANK=3 GRAPHPROF_OUTPUT=%t/trace.json,key_averages:%t/averages,%t/run.gprof,%t/run.jsonl %t/program
// RUN: mkdir %t/later && %convert %t/run.gprof %t/later/trace.json key_averages:%t/later/averages %t/later/run.jsonl
// RUN: grep -v traceName %t/trace.json >%t/own && grep -v traceName %t/later/trace.json | diff %t/own -
// RUN: diff %t/averages %t/later/averages
// RUN: grep -v metadata %t/run.jsonl | sort >%t/own && grep -v metadata %t/later/run.jsonl | sort | diff %t/own -
//
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/trace.json
// TRACE-DAG: "labels":"CPU, rank 3"
// TRACE-DAG: "labels":"GPU 0, rank 3"
// TRACE-DAG: "cat":"user_annotation",{{.*}}"name":"ProfilerStep#1"
//
// RUN: %python -c 'import json,sys; [print(s["kind"], s["name"], s["step"], s["exec"], s["replay"], s["bytes"]) for s in map(json.loads, open(sys.argv[1])) if s["type"] == "host_span"]' %t/run.jsonl | FileCheck %s --match-full-lines --check-prefix=LINES
// LINES:      region work None None None None
// LINES-NEXT: copy h2d 0 None None 64
// LINES-NEXT: launch cudaGraphLaunch 0 1 0 None
// LINES-NEXT: region enqueue 0 None None None
// LINES-NEXT: step ProfilerStep#0 0 None None None
// LINES-NEXT: copy h2d 1 None None 64
// LINES-NEXT: launch cudaGraphLaunch 1 1 1 None
// LINES-NEXT: region enqueue 1 None None None
// LINES-NEXT: step ProfilerStep#1 1 None None None
// LINES-NOT:  {{.}}
//
// Nobody asks: there are none.
// RUN: env GRAPHPROF_OUTPUT=%t/trace.json,%t/without.jsonl %t/program
// RUN: FileCheck %s --check-prefix=WITHOUT --input-file=%t/without.jsonl --implicit-check-not=':"host_span"'
// WITHOUT: "type":"end"

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr, *host = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, 64);
  cudaMallocHost(&host, 64);
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("work")]] work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int turn = 0; turn < 2; ++turn) [[graphprof::step]] {
    [[graphprof::time("enqueue", stream = stream)]] {
      cudaMemcpyAsync(x, host, 64, cudaMemcpyHostToDevice, stream);
      cudaGraphLaunch(exec, stream);
    }
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
