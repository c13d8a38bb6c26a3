// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cost of copies and allocations outside steps.

#include <cstddef>

#include "../check.h"
#include "comparison.h"
#include "program.h"
#include "sections.h"

namespace benchmark::host {

void memory(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  Counter counter;
  constexpr std::size_t bytes = 64;
  const DeviceArray<std::byte> target(bytes);
  const PinnedArray<std::byte> source(bytes);
  std::vector<Figure> figures;

  Comparison copy;
  copy.what = "a copy to the device outside of steps";
  copy.aim = "3";
  copy.plain = [&](int count) {
    for (int i = 0; i < count; ++i)
      CHECK(cudaMemcpyAsync(target.get(), source.get(), bytes, cudaMemcpyHostToDevice, stream));
  };
  copy.timed = [&](int count) {
    for (int i = 0; i < count; ++i)
      CHECK(graphprof::cuda::cudaMemcpyAsync(target.get(), source.get(), bytes,
                                             cudaMemcpyHostToDevice, stream));
  };
  copy.after = [&] { stream.synchronize(); };
  copy.batch = quick ? 10 : 256;
  copy.rounds = quick ? 2 : 501;
  figures.push_back(compare(copy));
  counter.check(0, 1, "copies outside of steps");

  Comparison bare = copy;
  bare.what = "the same around a copy that does nothing";
  bare.plain = [](int count) {
    for (int i = 0; i < count; ++i)
      asm volatile("" ::: "memory");
  };
  bare.timed = [&](int count) {
    for (int i = 0; i < count; ++i)
      graphprof::detail::copied(
          graphprof::detail::driverStream(stream),
          [&] {
            return graphprof_seam_ofKind(cudaMemcpyHostToDevice, target.get(), source.get(), bytes);
          },
          [] {
            asm volatile("" ::: "memory");
            return cudaSuccess;
          });
  };
  bare.batch = quick ? 10 : 10'000;
  bare.rounds = quick ? 2 : 101;
  figures.push_back(compare(bare));

  Comparison allocation;
  allocation.what = "an allocation and its free outside of steps";
  allocation.aim = "100";
  allocation.plain = [](int count) {
    for (int i = 0; i < count; ++i) {
      void *memory = nullptr;
      CHECK(cudaMalloc(&memory, bytes));
      CHECK(cudaFree(memory));
    }
  };
  allocation.timed = [](int count) {
    for (int i = 0; i < count; ++i) {
      void *memory = nullptr;
      CHECK(graphprof::cuda::cudaMalloc(&memory, bytes));
      CHECK(graphprof::cuda::cudaFree(memory));
    }
  };
  allocation.batch = quick ? 10 : 64;
  allocation.rounds = quick ? 2 : 501;
  figures.push_back(compare(allocation));

  // Measures tallying alone, because the allocator's own time varies by more than that.
  Comparison tally = bare;
  tally.what = "the same without allocating anything";
  tally.aim = "100";
  tally.timed = [&](int count) {
    for (int i = 0; i < count; ++i) {
      void *memory = const_cast<PinnedArray<std::byte> *>(&source)->get();
      if (graphprof::active())
        graphprof_seam_allocated(memory, bytes, graphprof_seam_memoryDevice, nullptr);
      const std::size_t known = graphprof::active() ? graphprof_seam_freeing(memory) : 0;
      if (known > 0)
        graphprof_seam_freed(memory, known, 1);
    }
  };
  figures.push_back(compare(tally));
  print("Copies and allocations", "ns", figures);
}

} // namespace benchmark::host
