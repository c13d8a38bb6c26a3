// What became slower, a kernel or the gap behind it: told by graphprof diff from the busy times of two processes a side, and shown by
// html and merge. A budget has busy times, too. Without parts there are none, and nothing says so.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- -I%include %simflags
// RUN: %simcc copy.cu -o program
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=before-1.gprof ./program 20000 900
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=before-2.gprof ./program 20000 900
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=after-1.gprof ./program 22000 2900
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=after-2.gprof ./program 22000 2900
// RUN: not %graphprof diff --all before-1.gprof before-2.gprof -- after-1.gprof after-2.gprof | FileCheck %s --check-prefix=DIFF
// RUN: not %graphprof diff --markdown before-1.gprof before-2.gprof -- after-1.gprof after-2.gprof | FileCheck %s --check-prefix=MARKDOWN
// RUN: not %graphprof diff --all before-1.gprof -- after-1.gprof | FileCheck %s --check-prefix=SINGLE
// RUN: %graphprof html -o page.html before-1.gprof -- after-1.gprof && grep -q '"busy_ns":20000,"gap_ns":900' page.html && grep -q '"after_gap_ns": 2900' page.html
// RUN: env RANK=0 WORLD_SIZE=2 GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=rank-0.gprof ./program 20000 900
// RUN: env RANK=1 WORLD_SIZE=2 GRAPHPROF_NODES=1 GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=rank-1.gprof ./program 24000 900
// RUN: %graphprof merge --csv --show ranks rank-0.gprof rank-1.gprof | FileCheck %s --check-prefix=RANKS
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_BUDGET=50%% GRAPHPROF_PARTS=2 GRAPHPROF_OUTPUT=budget.gprof ./program 20000 900
// RUN: %graphprof report budget.gprof | FileCheck %s --check-prefix=BUDGET
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=plain-1.gprof ./program 20000 900
// RUN: env GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=plain-2.gprof ./program 20000 900
// RUN: %graphprof diff --all plain-1.gprof -- plain-2.gprof | FileCheck %s --check-prefix=PLAIN
//
// DIFF:     slower {{.*}}middle {{.*}}20.900us {{.*}}24.900us
// DIFF:     slower {{.*}}first {{.*}}10.900us {{.*}}12.900us
// DIFF:     Busy {{.*}}Gap before {{.*}}Gap after
// DIFF:     slower  middle {{.*}}20.000us  22.000us  +10.00%  +10.00% .. +10.00% {{ *}}0.900us {{ *}}2.900us
// DIFF-DAG: same    first {{ *}}10.000us  10.000us   +0.00%    +0.00% .. +0.00% {{ *}}0.900us {{ *}}2.900us
// DIFF-DAG: same    last {{ *}}5.000us {{ *}}5.000us   +0.00%    +0.00% .. +0.00% {{ *}}-- {{ *}}--
// DIFF:     busy times: 1 slower, 2 same
//
// MARKDOWN: | Busy | Region | Before | After | Change | Interval | Gap before | Gap after |
// MARKDOWN: | slower | middle | 20.000us | 22.000us | +10.00% |
//
// SINGLE:   undecided  middle {{.*}}(+10.00%) {{.*}}--
// SINGLE:   busy times: 0 slower, 3 undecided
// SINGLE:   have no verdict: each is the median of few replays
//
// RANKS:      rank,host,{{.*}},busy_p50_ns,
// RANKS-NEXT: 0,{{.*}},35000.0,
// RANKS-NEXT: 1,{{.*}},39000.0,
//
// BUDGET: Busy {{.*}}Gap
// BUDGET: middle {{.*}}20.000us {{ *}}0.900us
//
// PLAIN-NOT: {{[Bb]}}usy

#include <cstdlib>

#include <cudasim/cudasim.h>

__global__ void first() {}
__global__ void middle() {}
__global__ void last() {}

int main(int, char **argv) {
  cudasim::setKernelDuration(first, 10'000);
  cudasim::setKernelDuration(middle, std::strtoull(argv[1], nullptr, 10));
  cudasim::setKernelDuration(last, 5'000);
  cudasim::setLaunchGap(std::strtoull(argv[2], nullptr, 10));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  first<<<1, 32, 0, stream>>>();
  middle<<<1, 32, 0, stream>>>();
  last<<<1, 32, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 2000; ++replay)
    cudaGraphLaunch(exec, stream);
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
}
