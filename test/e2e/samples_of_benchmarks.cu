// Each output has the samples of a benchmark and nothing else, whichever timer there was: no estimate, no dry run. Reports and
// comparisons read them from the binary file.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %simcc %s -o %t/bench && cd %t
// RUN: env GRAPHPROF_OUTPUT=graph.csv,graph.db,graph.jsonl,graph.gprof ./bench graph
// RUN: env GRAPHPROF_OUTPUT=eager.csv,eager.db,eager.jsonl,eager.gprof ./bench eager
// RUN: env GRAPHPROF_OUTPUT=stamps.csv,stamps.db,stamps.jsonl,stamps.gprof,stamps.json,graph:picture.json,key_averages:averages ./bench stamps
// RUN: %python %S/Inputs/samples_of_benchmarks.py graph 7
// RUN: %python %S/Inputs/samples_of_benchmarks.py eager 7
// RUN: %python %S/Inputs/samples_of_benchmarks.py stamps 35
// RUN: FileCheck %s --check-prefix=AVERAGES --input-file=averages
// RUN: FileCheck %s --check-prefix=PICTURE --input-file=picture.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=stamps.json
// AVERAGES: spans {{.*}} 35
// PICTURE: "replays":7,"cold_replays":0
// TRACE-COUNT-35: "graphprof_region"
// TRACE-NOT: "graphprof_region"
//
// RUN: %graphprof report graph.gprof | FileCheck %s --check-prefix=REPORT
// REPORT: spans 7
//
// RUN: env GRAPHPROF_OUTPUT=again.gprof ./bench graph
// RUN: %graphprof diff --all graph.gprof again.gprof | FileCheck %s --check-prefix=DIFF
// DIFF: spans mean
//
// What cannot be measured says why.
//
// RUN: not env GRAPHPROF_ENABLED=0 ./bench stamps 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: graphprof: spans cannot be timed with stamps: graphprof is off

#include <cstdio>
#include <string>
#include <tuple>

#include <graphprof/bench.h>

__global__ void add(float *) {}

int main(int, char **words) {
  const std::string timer = words[1];
  float *x = nullptr;
  cudaMalloc(&x, 1 << 22);
  graphprof::bench_options options;
  options.repeat_iters = 7;
  options.num_iters_within_graph = 5;
  try {
    graphprof::bench(
        "spans", [](cudaStream_t stream, float *data) { add<<<1, 1, 0, stream>>>(data); },
        std::tuple(graphprof::DeviceSpan<float>(x, 1 << 20)), options,
        timer == "eager"    ? graphprof::bench_timer::eager
        : timer == "stamps" ? graphprof::bench_timer::stamps
                            : graphprof::bench_timer::graph);
  } catch (const graphprof::bench_error &failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
}
