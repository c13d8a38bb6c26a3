// Graphs of four batch sizes that the program names: every output calls them by name and values, and the report adds up by them.
// One is built node by node and named where it is created, one without a name is named where it is instantiated; one has none, but
// some of its launches do. A name that would do something to a terminal does not.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags -I%include
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=table:%t/table,replays:%t/replays,%t/trace.json,%t/run.gprof,%t/run.jsonl,%t/run.csv,%t/run.db %t/program
// RUN: FileCheck %s --check-prefix=TABLE --input-file=%t/table
// RUN: FileCheck %s --check-prefix=REPLAYS --input-file=%t/replays
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/trace.json
// RUN: FileCheck %s --check-prefix=JSONL --input-file=%t/run.jsonl
// RUN: FileCheck %s --check-prefix=CSV --input-file=%t/run.csv
// RUN: %graphprof report --group-by graph %t/run.gprof | FileCheck %s --check-prefix=REPORT
// RUN: %graphprof report --group-by graph --json %t/run.gprof > %t/report.json
// RUN: %python %S/Inputs/graph_names.py %t/report.json %t/run.db
// RUN: %convert %t/run.gprof %t/again.jsonl %t/again.csv table:%t/again.table replays:%t/again.replays
// RUN: sort %t/run.jsonl > %t/one && sort %t/again.jsonl > %t/other && diff %t/one %t/other
// RUN: diff %t/run.csv %t/again.csv && diff %t/table %t/again.table && diff %t/replays %t/again.replays
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=%t/nodes.gprof,%t/graph.dot,graph:%t/graph.json %t/program
// RUN: FileCheck %s --check-prefix=DOT --input-file=%t/graph.dot
// RUN: grep -c '"graph_name":"decode batch=8"' %t/graph.json
// RUN: %graphprof report --critical-path %t/nodes.gprof | FileCheck %s --check-prefix=CRITICAL
// RUN: %graphprof html -o %t/page.html %t/nodes.gprof && grep -c 'decode batch=8' %t/page.html
// RUN: not grep -P '\x1b' %t/table %t/replays %t/graph.dot

#include <cuda_runtime.h>
#include <graphprof/graph_scope.h>
#include <thread>

__global__ void decode() {}

static cudaStream_t stream;

// A request of `n` takes `n` kernels.
static cudaGraph_t captured(int n) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("step", stream = stream)]] {
    for (int i = 0; i < n; ++i)
      decode<<<1, 32, 0, stream>>>();
  }
  cudaStreamEndCapture(stream, &graph);
  return graph;
}

static void replay(cudaGraph_t graph, int times, bool late = false) {
  cudaGraphExec_t exec;
  {
    const graphprof::GraphScope serves(late ? "\x1b[31mred\x1b[0m" : "too late",
                                       graphprof::key("why", "a,\"b\""));
    cudaGraphInstantiate(&exec, graph, 0); // most graphs have their names by now
  }
  for (int i = 0; i < times; ++i)
    cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
}

static cudaGraph_t built() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  void *function = reinterpret_cast<void *>(decode);
  cudaKernelNodeParams kernel{function, dim3(1), dim3(32), 0, nullptr, nullptr};
  [[graphprof::time("step")]] {
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
  }
  return graph;
}

// Only some launches have a name.
static void unnamed(int n) {
  const cudaGraph_t graph = captured(n);
  cudaGraphExec_t exec;
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 4; ++i) {
    const graphprof::GraphScope outer("outer");
    if (i == 2) {
      const graphprof::GraphScope serves("decode", graphprof::key("batch", n),
                                         graphprof::key("used", 1));
      cudaGraphLaunch(exec, stream);
    } else if (i == 3) {
      cudaGraphLaunch(exec, stream);
    }
    if (i < 2)
      std::thread([=] { cudaGraphLaunch(exec, stream); }).join(); // another thread has no name
  }
  cudaStreamSynchronize(stream);
}

int main() {
  cudaStreamCreate(&stream);
  for (const int n : {1, 2, 4, 8}) {
    cudaGraph_t graph;
    {
      graphprof::GraphScope serves("decode", graphprof::key("batch", n));
      graph = captured(n);
    }
    replay(graph, n + 1);
    cudaGraph_t clone; // has the name of its original
    cudaGraphClone(&clone, graph);
    replay(clone, 2);
  }
  cudaGraph_t byHand;
  {
    graphprof::GraphScope serves("built {} of {}", 1, "two");
    byHand = built();
  }
  replay(byHand, 2);
  const cudaGraph_t later = captured(1);
  replay(later, 2, true);
  unnamed(2);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}

// TABLE:      {{^}}step {{.*}}%
// TABLE:      {{[0-9]+}} replays of 11 execs of 11 graphs
// TABLE:      {{^}}  decode batch=8: 9 replays, {{[0-9.]+}}us each in the median, {{[0-9.]+}}% of the time of all
// TABLE:      {{^}}  decode batch=4: 5 replays
// TABLE-DAG:  {{^}}  decode batch=2: 3 replays
// TABLE-DAG:  {{^}}  decode batch=1: 2 replays
// TABLE-DAG:  {{^}}  built 1 of two: 1 replay,
// TABLE-DAG:  {{^}}  ?[31mred?[0m why=a,"b": 1 replay,
// TABLE-DAG:  {{^}}  outer: 1 replay,
// TABLE-DAG:  {{^}}  decode batch=2 used=1: 1 replay,
// TABLE-NOT:  too late

// REPLAYS:     --- decode batch=1, exec 1, replay 0 (cold) ---
// REPLAYS:     --- decode batch=1, exec 2, replay 1 ---
// REPLAYS:     --- built 1 of two, exec 9, replay 1 ---
// REPLAYS:     --- ?[31mred?[0m why=a,"b", exec 10, replay 1 ---
// REPLAYS:     --- graph 11, exec 11, replay 1 ---
// REPLAYS:     --- decode batch=2 used=1, exec 11, replay 2 ---
// REPLAYS:     --- outer, exec 11, replay 3 ---

// TRACE:     "name":"decode batch=8 exec 7 replay 3"{{.*}}"graph":7,"graph_name":"decode batch=8","exec":7

// JSONL:     {"type":"replay","graph":7,"exec":7,"replay":8,"graph_name":"decode batch=8",{{.*}}"graph_context":{"batch":8}
// JSONL:     {"type":"record","name":"step",{{.*}}"graph_name":"decode batch=8"
// JSONL:     "graph_name":"built 1 of two",{{.*}}"graph_context":{"0":1,"1":"two"}
// JSONL:     "graph_name":"\u001b[31mred\u001b[0m why=a,\"b\""
// JSONL:     "graph":11,"exec":11,"replay":1,"device"
// JSONL:     "graph":11,"exec":11,"replay":2,"graph_name":"decode batch=2 used=1"

// CSV:       gap_cause,graph_name{{$}}
// CSV:       ,decode batch=8{{$}}
// CSV:       [31mred

// REPORT:      time of the replays of each graph
// REPORT:      Graph {{.*}}Count {{.*}}Total {{.*}}Mean {{.*}}% of replays
// REPORT:      {{^}}decode batch=8 {{ *}}9 {{.*}}%
// REPORT-NEXT: {{^}}decode batch=4 {{ *}}5 {{.*}}%
// REPORT:      {{^}}graph 11 of program {{ *}}1 {{.*}}%

// DOT-DAG:  label="decode batch=8, 2 graphs, 7 to 8: 11 replays
// DOT-DAG:  label="?[31mred?[0m why=a,\"b\": 2 replays
// DOT-DAG:  label="graph 11: 2 replays
// DOT-DAG:  label="outer: 1 replay

// CRITICAL: critical path of decode batch=8 of program (2 alike): 8 nodes
// CRITICAL: critical path of graph 11 of program: 2 nodes
