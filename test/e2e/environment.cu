// The environment chooses what is shown, without another build.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
//
// Unset: the table, on stderr.
// RUN: %t/program 2>&1 >/dev/null | FileCheck %s --check-prefix=TABLE
// TABLE: {{^}}work 2
//
// Set but empty: nothing.
// RUN: env GRAPHPROF_OUTPUT= %t/program 2>&1 | count 0
//
// A list; the program's stdout stays its own.
// RUN: env GRAPHPROF_OUTPUT=replays,table:%t/{pid}.table %t/program 2>&1 >/dev/null | FileCheck %s --check-prefix=REPLAYS
// RUN: cat %t/*.table | FileCheck %s --check-prefix=TABLE
// REPLAYS-NOT: Region
// REPLAYS:     replay 2 ---
// REPLAYS-NOT: Region
//
// Key averages with further columns.
// RUN: env GRAPHPROF_OUTPUT=key_averages %t/program 2>&1 >/dev/null | FileCheck %s --check-prefix=AVERAGES --implicit-check-not=P99
// RUN: env GRAPHPROF_OUTPUT=key_averages+statistics+sort_by=count %t/program 2>&1 >/dev/null | FileCheck %s --check-prefixes=STATISTICS,AVERAGES
// STATISTICS: Min Median P95 P99 Max % of replay
// AVERAGES: {{^ +}}work
//
// Disabled: not a word.
// RUN: env GRAPHPROF_ENABLED=0 GRAPHPROF_OUTPUT=table,%t/none.json %t/program 2>&1 | count 0
// RUN: not ls %t/none.json
//
// Each clock says which it is.
// RUN: env GRAPHPROF_CLOCK=stamp GRAPHPROF_OUTPUT=%t/stamp.json %t/program
// RUN: FileCheck %s --check-prefix=STAMP --input-file=%t/stamp.json
// RUN: env GRAPHPROF_CLOCK=event GRAPHPROF_OUTPUT=%t/event.json %t/program
// RUN: FileCheck %s --check-prefix=EVENT --input-file=%t/event.json
// STAMP: "name":"work"{{.*}}"clock":"stamp"
// EVENT: "name":"work"{{.*}}"clock":"event"
//
// So does the backend; by the host's clock there are no graphs.
// RUN: FileCheck %s --check-prefix=CUDA --input-file=%t/event.json
// CUDA: "backend":{{ ?}}"cuda"
// RUN: env GRAPHPROF_BACKEND=host GRAPHPROF_OUTPUT=table,%t/host.json %t/program 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: FileCheck %s --check-prefix=HOSTTRACE --input-file=%t/host.json
// HOST: graphprof: GRAPHPROF_BACKEND=host: CUDA is left alone: only host times are taken
// HOST: timed by the backend "host"
// HOSTTRACE: "backend":{{ ?}}"host"
//
// A backend that nobody registered is said once, and the default times as if none had been named.
// RUN: env GRAPHPROF_BACKEND=cdua GRAPHPROF_OUTPUT=table,%t/default.json %t/program 2>&1 | FileCheck %s --check-prefix=NOBACKEND --implicit-check-not=cdua
// RUN: FileCheck %s --check-prefixes=CUDA --input-file=%t/default.json
// RUN: FileCheck %s --check-prefixes=TIMED --input-file=%t/default.json
// NOBACKEND: graphprof: GRAPHPROF_BACKEND=cdua: there is no such backend; there are cuda, host (a backend registers when its library is loaded); using the default
// NOBACKEND: {{^}}work 2
// TIMED: "name":"work"{{.*}}"clock":"{{stamp|event}}"
//
// What makes no sense is named, and the rest goes on.
// RUN: env GRAPHPROF_CLOCK=sundial GRAPHPROF_OUTPUT=table,tabel,key_averages+stats GRAPHPROF_HOST_SPANS=yes GRAPHPROF_RING_DEPTH=-1 %t/program 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-DAG: graphprof: GRAPHPROF_CLOCK=sundial: must be auto, stamp or event; using auto
// WRONG-DAG: graphprof: GRAPHPROF_OUTPUT=tabel: must be a list of table, key_averages, replays, table:PATH, key_averages:PATH, replays:PATH, PATH.json[.gz]
// WRONG-DAG: graphprof: GRAPHPROF_OUTPUT=key_averages+stats: stats is not one of statistics, sort_by=COLUMN, row_limit=N, time_unit=UNIT, top_level_events_only; using the others of the list
// WRONG-DAG: graphprof: GRAPHPROF_HOST_SPANS=yes: must be 0 or 1; using 0
// WRONG-DAG: graphprof: GRAPHPROF_RING_DEPTH=-1: must be a whole number
// WRONG:     {{^}}work 2
//
// What is converted later shows what the file holds: what it lacks is said, and a failure; the other outputs are made.
// RUN: env GRAPHPROF_OUTPUT=%t/run.gprof %t/program
// RUN: not %convert %t/run.gprof steps:%t/steps.db table:%t/converted 2>&1 | FileCheck %s --check-prefix=LACKING
// LACKING: graphprof-convert: steps:{{.*}}steps.db: is empty: it shows steps, which are part of what the host did; run the program with GRAPHPROF_HOST_SPANS=1
// RUN: cat %t/converted | FileCheck %s --check-prefix=TABLE
// RUN: env GRAPHPROF_HOST_SPANS=1 GRAPHPROF_OUTPUT=%t/spans.gprof %t/program
// RUN: not %convert %t/spans.gprof steps:%t/steps.db 2>&1 | FileCheck %s --check-prefix=NOSTEPS
// NOSTEPS: steps.db: is empty: it shows steps, and the program marked none
// RUN: env GRAPHPROF_HOST_SPANS=1 GRAPHPROF_STEP=launches GRAPHPROF_OUTPUT=%t/steps.gprof %t/program
// RUN: %convert %t/steps.gprof steps:%t/steps.db 2>&1 | count 0
// RUN: not %convert %t/run.gprof table:%t/one key_averages:%t/./one 2>&1 | FileCheck %s --check-prefix=ONEFILE
// RUN: not ls %t/one
// ONEFILE: key_averages:{{.*}}one: would overwrite the file of another output; name another file
//
// An output that cannot be written is said once; the others go on, and so does the program.
// RUN: env GRAPHPROF_OUTPUT=table,/nonexistent/trace.json %t/program 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// UNWRITABLE: graphprof: output /nonexistent/trace.json failed and gets nothing more: cannot write /nonexistent/trace.json: No such file or directory
// UNWRITABLE: {{^}}work 2

__global__ void work(float *x) { *x += 1.0F; }

int main() {
  float *x = nullptr;
  cudaStream_t stream;
  cudaMalloc(&x, sizeof(float));
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("work")]] work<<<1, 32, 0, stream>>>(x);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 3; ++replay)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
