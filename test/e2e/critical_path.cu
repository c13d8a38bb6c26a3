// A program without an annotation, whose graph forks and joins: recordings hold its edges once, however
// often it is replayed or captured again. Without GRAPHPROF_NODES there are none.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/run.gprof,%t/run.jsonl %t/program
// RUN: %graphprof report --critical-path %t/run.gprof | FileCheck %s --check-prefix=TEXT
// RUN: %graphprof report --critical-path --json %t/run.gprof > %t/gprof
// RUN: %python -c 'import json,sys; a=json.load(open(sys.argv[1]))["graphs"]; assert a[0]["whole_paths"]==a[0]["replays"]==6' %t/gprof
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=table,table:%t/table.txt,%t/same.gprof %t/program 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: %graphprof convert %t/same.gprof table:%t/again.txt && diff %t/table.txt %t/again.txt
// RUN: env GRAPHPROF_NODES=1 %t/program 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: env GRAPHPROF_OUTPUT=table %t/program 2>&1 | FileCheck %s --allow-empty --check-prefix=NO-TABLE
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/own.dot,graph:%t/own.json,%t/drawn.gprof %t/program
// RUN: %convert %t/drawn.gprof %t/again.dot graph:%t/again.json
// RUN: diff %t/own.dot %t/again.dot && diff %t/own.json %t/again.json && grep 'slack:' %t/again.dot
// RUN: grep -c '"type":"graph"' %t/run.jsonl | FileCheck %s --check-prefix=TWICE
// RUN: env GRAPHPROF_OUTPUT=%t/off.jsonl %t/program && not grep '"type":"graph"' %t/off.jsonl

#include <cuda_runtime.h>

__global__ void first() {}
__global__ void left() {}
__global__ void right() {}
__global__ void last() {}

int main() {
  cudaStream_t stream, side;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  for (int captured = 0; captured < 2; ++captured) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    first<<<2, 64, 0, stream>>>();
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(side, fork, 0);
    left<<<1, 32, 0, stream>>>();
    right<<<1, 32, 0, side>>>();
    right<<<1, 32, 0, side>>>();
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(stream, join, 0);
    last<<<1, 32, 0, stream>>>();
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    for (int replay = 0; replay < 4; ++replay)
      cudaGraphLaunch(exec, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess)
      return 1;
  }
  return 0;
}

// TEXT:      critical path of graph 1 of program (2 alike): 5 nodes, 5 edges, 6 replays, {{.*}} in the median
// TEXT:      Region or node {{.*}}Replays {{.*}}On path {{.*}}% of path {{.*}}Slack {{.*}}Waited for
// TEXT-DAG:  {{^}}first {{ *}}6 {{ *}}6 {{.*}}the begin
// TEXT-DAG:  {{^}}last {{ *}}6 {{ *}}6 {{.*}}
// TEXT-DAG:  {{^}}right #2 {{ *}}6 {{.*}}right
// TEXT:      the critical path is {{.*}} % work and {{.*}} % waiting until a node began
// TEXT:      2 cold replays left out

// The table that the program ends with; right #1 and #2 share a row.
// TABLE:     Region {{.*}}% of replay {{ *}}% of path {{ *}}Slack
// TABLE-DAG: {{^}}first {{.*}}% {{ *}}0.000us
// TABLE-DAG: {{^}}right ×2 {{.*}}% {{ *}}{{[0-9.]+us}}
// NO-TABLE-NOT: % of path

// TWICE: 2
