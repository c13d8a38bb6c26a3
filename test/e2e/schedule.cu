// A schedule from the environment alone: the steps that the source marks, or each launch of a graph.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
//
// Two cycles of one warm-up and two steps; then nothing. One table and one trace each, one stream of
// replays for both.
// RUN: env GRAPHPROF_SCHEDULE=wait=1,warmup=1,active=2,repeat=2 GRAPHPROF_OUTPUT=table,%t/trace.json,replays:%t/replays %t/program 2>%t/tables
// RUN: FileCheck %s --check-prefix=TABLES --input-file=%t/tables
// RUN: FileCheck %s --check-prefix=REPLAYS --input-file=%t/replays
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/trace.2.json
// TABLES:     {{^}}work 2
// TABLES:     {{^}}cycle 1: steps 2 to 3{{$}}
// TABLES:     {{^}}work 2
// TABLES:     {{^}}cycle 2: steps 6 to 7{{$}}
// TABLES-NOT: cycle 3
// REPLAYS:          replay 2, step 2 ---
// REPLAYS:          replay 3, step 3 ---
// REPLAYS-NOT:      step {{[45]}}
// REPLAYS:          replay 6, step 6 ---
// REPLAYS:          replay 7, step 7 ---
// REPLAYS-NOT:      replay
// FILES:     replays
// FILES:     trace.1.json
// FILES-NEXT: trace.2.json
// FILES-NOT: trace
// TRACE-DAG: "trace_id":"{{[0-9A-F]+}}"
// TRACE-DAG: "step":6
// TRACE-DAG: "step":7
//
// The program ends in a cycle: it is written as it is.
// RUN: env GRAPHPROF_SCHEDULE=wait=8,warmup=1,active=5 GRAPHPROF_OUTPUT=table:%t/{cycle}.table %t/program 2>&1 | count 1
// RUN: FileCheck %s --check-prefix=LAST --input-file=%t/1.table
// LAST: {{^}}cycle 1: steps 9 to 11{{$}}
//
// A source without steps: launches of the second graph, of which there are two a step.
// RUN: env GRAPHPROF_SCHEDULE=warmup=1,active=3,repeat=1,skip_first=20 GRAPHPROF_STEP=launches:2 GRAPHPROF_OUTPUT=table %t/program unmarked 2>&1 | FileCheck %s --check-prefix=LAUNCHES
// LAUNCHES: {{^}}twice 3
// LAUNCHES: {{^}}cycle 1: steps 21 to 23{{$}}
//
// Nothing to go by, and what makes no sense.
// RUN: env GRAPHPROF_SCHEDULE=active=1 %t/program unmarked 2>&1 | FileCheck %s --check-prefix=NONE
// NONE:     graphprof: a schedule without warmup
// NONE:     graphprof: GRAPHPROF_SCHEDULE: the program began no step
// NONE-NOT: Region
// RUN: env GRAPHPROF_SCHEDULE=active=none GRAPHPROF_STEP=bars %t/program 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-DAG: graphprof: GRAPHPROF_SCHEDULE=active=none: must be a list of wait=N, {{.*}}; using no schedule
// WRONG-DAG: graphprof: GRAPHPROF_STEP=bars: must be marked, launches, or launches:GRAPH
// WRONG:     {{^}}work 11

__global__ void work(float *x) { *x += 1.0F; }

struct Graph {
  explicit Graph(cudaStream_t stream, float *x, int which) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    [[graphprof::time("{}", which == 1 ? "work" : "twice",
                      stream = stream)]] work<<<1, 32, 0, stream>>>(x);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
  }
  cudaGraphExec_t exec;
};

int main(int count, char **) {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  Graph once(stream, x, 1), twice(stream, x, 2);
  for (int step = 0; step < 12; ++step) {
    if (count > 1) {
      cudaGraphLaunch(once.exec, stream);
      cudaGraphLaunch(twice.exec, stream);
      cudaGraphLaunch(twice.exec, stream);
      continue;
    }
    [[graphprof::step]] cudaGraphLaunch(once.exec, stream);
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
