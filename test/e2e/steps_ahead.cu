// The host runs ahead of the device: a sample waits for its copies, however many steps end
// meanwhile. What is lost is marked and counted; the host's time never passes for the device's.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/program.cu %s -- -I%include %simflags
// RUN: %simcc %t/program.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=steps:%t/steps.db %t/program
// RUN: %python %S/Inputs/steps_ahead.py %t/steps.db | FileCheck %s --check-prefix=ALL
//
// The same in the whole database, and of a file.
// RUN: env GRAPHPROF_HOST_SPANS=1 GRAPHPROF_OUTPUT=%t/run.db,%t/run.gprof %t/program
// RUN: %python %S/Inputs/steps_ahead.py %t/run.db | FileCheck %s --check-prefix=ALL
// RUN: %convert %t/run.gprof steps:%t/converted.db
// RUN: %python %S/Inputs/steps_ahead.py %t/converted.db | FileCheck %s --check-prefix=ALL
//
// Inside a region that is open for the whole loop, whose copies are handed on at its end.
// RUN: env GRAPHPROF_OUTPUT=steps:%t/inside.db %t/program inside
// RUN: %python %S/Inputs/steps_ahead.py %t/inside.db | FileCheck %s --check-prefix=ALL
// ALL: {{^}}500 rows in order, 500 measured, 0 marked, nothing lost{{$}}
//
// Of copies that found no room, each is counted, and the row says it. The rows behind are right.
// RUN: env GRAPHPROF_MAX_QUEUE=300 GRAPHPROF_OUTPUT=steps:%t/lost.db %t/program full
// RUN: %python %S/Inputs/steps_ahead.py %t/lost.db | FileCheck %s --check-prefix=LOST
// LOST: {{^}}200 rows in order, 100 measured, 100 marked, notQueued 100{{$}}
//
// The program ends while its copies wait, and does not wait for them.
// RUN: env GRAPHPROF_EXIT_TIMEOUT=1 GRAPHPROF_OUTPUT=steps:%t/end.db %t/program leave
// RUN: %python %S/Inputs/steps_ahead.py %t/end.db | FileCheck %s --check-prefix=LEFT
// LEFT: {{^}}500 rows in order, {{[0-9]+}} measured, [[N:[1-9][0-9]*]] marked, eager [[N]]{{$}}
//
// flush() brings every step that has ended, with what is lost of it.
// RUN: env GRAPHPROF_MAX_QUEUE=300 GRAPHPROF_OUTPUT=steps:%t/flushed.db %t/program flush
// RUN: %python %S/Inputs/steps_ahead.py %t/flushed.db | FileCheck %s --check-prefix=FLUSHED
// FLUSHED: {{^}}100 rows in order, 0 measured, 100 marked, nothing lost{{$}}

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <cudasim/cudasim.h>
#include <graphprof/graphprof.h>

__global__ void work() {}
__global__ void block() {}

float *host, *device;
constexpr std::size_t bytes = 1 << 16;
cudaStream_t stream;

void steps(int count, cudaStream_t stream) {
  for (int i = 0; i < count; ++i) [[graphprof::step]] {
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
    work<<<1, 1, 0, stream>>>();
  }
}

// Fills the queue of regions outside graphs while the device waits: the copies find no room.
bool stepsThatFindNoRoom() {
  constexpr std::uint64_t hour = 3600'000'000'000;
  cudasim::setKernelDuration("block", hour);
  block<<<1, 1, 0, stream>>>();
  std::thread([] {
    for (int i = 0; i < 300; ++i) {
      GRAPHPROF_SCOPE(1, "region", graphprof::StreamRef(stream));
    }
  }).join();
  steps(100, stream);
  cudasim::advanceNs(hour);
  return !cudaStreamSynchronize(stream) && graphprof::flush();
}

int main(int argc, char **argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (cudaStreamCreate(&stream) || cudaMallocHost(&host, bytes) || cudaMalloc(&device, bytes))
    return 1;
  if (how == "full" || how == "flush") {
    if (!stepsThatFindNoRoom())
      return 1;
    if (how == "flush")
      std::_Exit(0); // what was flushed survives
    steps(100, stream);
    return cudaStreamSynchronize(stream);
  }
  cudasim::setKernelDuration("work", 1'000'000);
  if (how == "inside") {
    [[graphprof::time("loop")]] steps(500, stream);
  } else {
    steps(500, stream);
  }
  if (how == "leave")
    std::exit(0);
  return cudaStreamSynchronize(stream);
}
