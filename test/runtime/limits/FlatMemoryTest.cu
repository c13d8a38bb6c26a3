// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// However long a program runs, with an output that keeps nothing graphprof's memory stays as it is:
// every allocation of the process is counted. GRAPHPROF_TEST_RECORDS says how many records; ten
// million take a minute on the simulation.

#include <cstdlib>
#include <new>

#include <malloc.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace {

std::atomic<std::int64_t> liveBytes{0};

void *counted(void *memory) {
  if (!memory)
    throw std::bad_alloc();
  liveBytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void release(void *memory) noexcept {
  if (memory)
    liveBytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

} // namespace

void *operator new(std::size_t size) { return counted(std::malloc(size)); }
void *operator new[](std::size_t size) { return counted(std::malloc(size)); }
void *operator new(std::size_t size, std::align_val_t alignment) {
  return counted(std::aligned_alloc(std::size_t(alignment), size));
}
void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t) noexcept { release(memory); }
void operator delete[](void *memory, std::size_t) noexcept { release(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace graphprof::test {
namespace {

TEST(Memory, StaysFlatHoweverManyRecordsACallbackGets) {
  const char *wanted = std::getenv("GRAPHPROF_TEST_RECORDS");
  const std::uint64_t replays = (wanted ? std::strtoull(wanted, nullptr, 10) : 60'000) / 3;
  std::atomic<std::uint64_t> seen{0};
  const Losses before = losses();
  Profiler profiler([&](const Record &) { ++seen; });
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    for (const char *name : {"a", "b", "c"}) {
      GRAPHPROF_SCOPE(1, "{}", onStream(stream), name);
      shortWork(stream);
    }
  });
  const cudaGraphExec_t exec = instantiate(graph);
  std::int64_t early = 0;
  for (std::uint64_t replay = 0; replay < replays; ++replay) {
    if (replay % 100 == 0)
      EXPECT_TRUE(profiler.flush());
    if (replay == replays / 10)
      early = liveBytes;
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  }
  EXPECT_TRUE(profiler.flush());
  EXPECT_LT(liveBytes - early, 16 * 1024);
  EXPECT_EQ(3 * replays,
            seen + 3 * (losses().overrun - before.overrun + losses().notQueued - before.notQueued));
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
