// A loop of steps that each copy to the device and launch: every step has its copies as regions
// named "h2d", through a symbol as well; a copy back, one that fails or one before the loop is
// none. The table counts the allocations. With --no-memory there is neither.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=table,replays:%t/replays,%t/trace.json %t/program 2>%t/table
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// Which come first, replays or regions outside graphs, is a matter of the harvest.
// RUN: grep 'outside graphs' %t/replays | FileCheck %s --check-prefix=OUTSIDE
// RUN: grep -v 'outside graphs' %t/replays | FileCheck %s --check-prefix=REPLAYS
// The trace has each twice: as the device took it, and as its thread made it.
// RUN: %python -c 'import json,sys; [print(e["args"]["step"], e["args"]["context"]["bytes"]) for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("name") == "h2d" and e["cat"] == "graphprof_region"]' %t/trace.json | sort > %t/copies
// RUN: FileCheck %s --check-prefix=COPIES --match-full-lines --input-file=%t/copies
// RUN: %python -c 'import json,sys; [print(e["args"]["step"], e["args"]["bytes"]) for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("name") == "h2d" and e["cat"] == "cpu_op"]' %t/trace.json | sort > %t/calls
// RUN: FileCheck %s --check-prefix=COPIES --match-full-lines --input-file=%t/calls
//
// A sample a step, as TraceML's readers ask for it.
// RUN: env GRAPHPROF_OUTPUT=steps:%t/steps.db %t/program
// RUN: %python -c 'import json,sqlite3,sys; [print(step, e["_traceml_internal:h2d_time"]["cuda:0"]["n_calls"], sorted(e)) for step, e in ((s, json.loads(j)) for s, j in sqlite3.connect(sys.argv[1]).execute("SELECT step, events_json FROM step_time_samples WHERE rank = 0 ORDER BY step, sample_ts_s, id"))]' %t/steps.db | FileCheck %s --check-prefix=SAMPLES
//
// From the device too, where that is asked for; none but those that the program wraps.
// RUN: env GRAPHPROF_COPIES=auto,d2h GRAPHPROF_OUTPUT=table %t/program 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: env GRAPHPROF_COPIES=manual GRAPHPROF_OUTPUT=table %t/program 2>&1 | FileCheck %s --check-prefix=MANUAL --implicit-check-not=h2d
// RUN: env GRAPHPROF_COPIES=sometimes GRAPHPROF_OUTPUT=table %t/program 2>&1 | FileCheck %s --check-prefix=WRONG
//
// Allocations and frees, where they are asked for: in steps, and with the regions around them.
// RUN: env GRAPHPROF_MEMORY=1 GRAPHPROF_OUTPUT=%t/trace.json,%t/run.jsonl %t/program
// RUN: grep '"type":"memory"' %t/run.jsonl | FileCheck %s --check-prefix=MEMORY
// RUN: FileCheck %s --check-prefix=COUNTER --input-file=%t/trace.json
//
// RUN: %instrument --strict --no-memory -o %t/plain.cu %s -- %simflags
// RUN: %simcc %t/plain.cu -o %t/plain
// RUN: env GRAPHPROF_OUTPUT=table %t/plain 2>&1 | FileCheck %s --check-prefix=WITHOUT

__constant__ float factors[2];
__global__ void work(float *x) { *x += factors[0]; }

#define CHECK(call)                                                                                \
  if ((call) != cudaSuccess)                                                                       \
  return 1

template <class T> struct Buffer {
  explicit Buffer(std::size_t count) { cudaMalloc(&data, count * sizeof(T)); }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
  T *data = nullptr;
};

int main() {
  Buffer<float> x(16);
  float *host = nullptr;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&host, 64));
  host[0] = host[1] = 1;
  CHECK(cudaMemcpy(x.data, host, 64, cudaMemcpyHostToDevice)); // before the loop

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  [[graphprof::time("work")]] work<<<1, 1, 0, stream>>>(x.data);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph));

  for (int turn = 0; turn < 3; ++turn) [[graphprof::step]] {
    CHECK(cudaMemcpyAsync(x.data, host, 32 + turn, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof factors));
    CHECK(cudaGraphLaunch(exec, stream));
    if (cudaMemcpyAsync(nullptr, host, 5, cudaMemcpyHostToDevice, stream) == cudaSuccess)
      return 1; // no copy, no region
    cudaGetLastError();
    CHECK(cudaMemcpyAsync(host, x.data, 4, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaFreeHost(host));
  return 0;
}

// TABLE:      {{^}}work 2 {{.*}}us
// TABLE:      {{^}}outside graphs
// TABLE-NEXT: {{^}}  h2d 6 {{.*}}us
// TABLE:      allocated 2 times, 128 B; freed 2 times, 128 B

// OUTSIDE:      {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 0)
// OUTSIDE-NEXT: {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 0)
// OUTSIDE-NEXT: {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 1)
// OUTSIDE-NEXT: {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 1)
// OUTSIDE-NEXT: {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 2)
// OUTSIDE-NEXT: {{^}}h2d: {{[0-9.]+}} us (outside graphs, step 2)
// OUTSIDE-NOT:  {{.}}

// REPLAYS:      --- graph 1, exec 1, replay 0, step 0 (cold) ---
// REPLAYS-NEXT: work: {{[0-9.]+}} us
// REPLAYS-NEXT: --- graph 1, exec 1, replay 1, step 1 ---

// COPIES:      0 32
// COPIES-NEXT: 0 8
// COPIES-NEXT: 1 33
// COPIES-NEXT: 1 8
// COPIES-NEXT: 2 34
// COPIES-NEXT: 2 8
// COPIES-NOT:  {{.}}

// SAMPLES:      0 2 ['_traceml_internal:h2d_time', '_traceml_internal:step_time']
// SAMPLES-NEXT: 1 2 ['_traceml_internal:h2d_time', '_traceml_internal:step_time']
// SAMPLES-NEXT: 2 2 ['_traceml_internal:h2d_time', '_traceml_internal:step_time']
// SAMPLES-NOT:  {{.}}

// BOTH-DAG: {{^}}  d2h 3 {{.*}}us
// BOTH-DAG: {{^}}  h2d 6 {{.*}}us

// MANUAL: {{^}}work 2

// WRONG: graphprof: GRAPHPROF_COPIES=sometimes: must be auto, selective or manual, with ,d2h and ,d2d for the other directions; using auto
// WRONG: {{^}}  h2d 6

// WITHOUT-NOT: h2d
// WITHOUT:     {{^}}work 2 {{.*}}us
// WITHOUT-NOT: {{h2d|allocated}}

// MEMORY:      "kind":"device","device":0,"bytes":64,"allocated":64,{{.*}}"step":null,"path":null
// MEMORY-NEXT: "kind":"host","device":null,"bytes":64,"allocated":64
// MEMORY-NEXT: "kind":"host","device":null,"bytes":-64,"allocated":0
// MEMORY-NEXT: "kind":"device","device":0,"bytes":-64,"allocated":0
// MEMORY-NOT:  "type":"memory"

// COUNTER: "ph":"C","name":"allocated bytes","pid":0,"tid":0,"ts":{{[0-9.]+}},"args":{"device":64}
