// Two processes with a collective, of which rank 1 comes later by its argument in us: graphprof merge finds how long rank 0 waited,
// within 2 us or what it says its clock is known by. The simulation knows no collectives. So each process says through a pipe when
// its kernel begins, and gives it a duration up to the common end. What really happened is printed.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- -I%include %simflags
// RUN: %simcc copy.cu -o program
// RUN: %python %S/Inputs/merge_ranks.py %graphprof %python %S/examples/Inputs/ranks.py ./program

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include <cudasim/cudasim.h>
#include <graphprof/step.h>

__global__ void work() {}
__global__ void ncclDevKernel_AllReduce_Sum_f16_RING_LL() {}

namespace {

std::int64_t machineNs() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// The other process. Each opens the pipes in the order in which the other does.
class Other {
public:
  explicit Other(bool first) {
    if (first) {
      to_ = open("from0", O_WRONLY);
      from_ = open("from1", O_RDONLY);
    } else {
      from_ = open("from0", O_RDONLY);
      to_ = open("from1", O_WRONLY);
    }
  }
  // The larger of both numbers.
  std::int64_t larger(std::int64_t own) {
    std::int64_t other = 0;
    if (write(to_, &own, sizeof own) != sizeof own ||
        read(from_, &other, sizeof other) != sizeof other) {
      std::perror("pipe");
      std::exit(1);
    }
    return own > other ? own : other;
  }

private:
  int to_, from_;
};

cudaGraphExec_t capture(void (*kernel)(), cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  kernel<<<1, 32, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

} // namespace

int main(int, char **arguments) {
  const bool first = std::getenv("RANK")[0] == '0';
  const std::int64_t lateNs = first ? 0 : std::atoll(arguments[1]) * 1000;
  Other other(first);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  std::uint64_t workEnds = 0, begins = 0;
  cudasim::registerKernel(work,
                          [&](void **, std::uint64_t, std::uint64_t endNs) { workEnds = endNs; });
  cudasim::registerKernel(ncclDevKernel_AllReduce_Sum_f16_RING_LL,
                          [&](void **, std::uint64_t startNs, std::uint64_t) { begins = startNs; });
  const cudaGraphExec_t working = capture(work, stream),
                        reducing = capture(ncclDevKernel_AllReduce_Sum_f16_RING_LL, stream);

  // The simulation's time follows the machine's, from another begin.
  std::int64_t aheadNs = INT64_MAX;
  for (int i = 0; i < 100; ++i) {
    cudaStreamQuery(stream);
    const std::int64_t ns = machineNs() - static_cast<std::int64_t>(cudasim::nowNs());
    aheadNs = ns < aheadNs ? ns : aheadNs;
  }
  constexpr std::int64_t transferNs = 20'000, workNs = 2'000'000;
  for (int i = 0; i < 40; ++i) {
    graphprof::Step step;
    const std::int64_t reduceNs = other.larger(machineNs()) + workNs + lateNs;
    cudasim::setKernelDuration(work, static_cast<std::uint64_t>(reduceNs - machineNs()));
    cudaGraphLaunch(working, stream);
    const std::int64_t ownNs = static_cast<std::int64_t>(workEnds) + aheadNs,
                       endNs = other.larger(ownNs) + transferNs;
    cudasim::setKernelDuration(ncclDevKernel_AllReduce_Sum_f16_RING_LL,
                               static_cast<std::uint64_t>(endNs - ownNs));
    cudaGraphLaunch(reducing, stream);
    std::printf("%lld\n", static_cast<long long>(begins) + static_cast<long long>(aheadNs));
    // The simulation is ahead of the machine; graphprof reads both clocks.
    const timespec until{static_cast<std::time_t>(endNs / 1'000'000'000),
                         static_cast<long>(endNs % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    cudaStreamSynchronize(stream);
  }
  return 0;
}
