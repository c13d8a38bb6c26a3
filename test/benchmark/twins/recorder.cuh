// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a twin gets beside its kernel's own parameters: lane 0 of chosen warps writes the begins and
// ends of scopes to entries of that warp's own. No thread waits for another, and nothing is shared,
// so there are no atomics; a warp whose entries are full only counts. A thread keeps two registers:
// an entry a begin or end, instead of one a scope, saves those for the begins of open scopes.

#pragma once

#include <cstdint>

namespace graphprof::benchmark {

/// A scope's begin, or an end: of the scope that is open. Written with one store.
struct alignas(8) Entry {
  std::uint32_t time;  // the lower half of the clock
  std::uint32_t scope; // in the order of the source; scopeEnd
};
inline constexpr std::uint32_t scopeEnd = ~0U;

/// Of a warp, behind its entries.
struct alignas(8) Total {
  std::uint32_t time;    // from its begin to its end
  std::uint32_t entries; // also those that found no room
};

/// The same for all threads of a launch.
struct Recording {
  Entry *entries; // warps * entriesPerWarp
  Total *totals;  // a warp
  std::uint32_t entriesPerWarp;
  std::uint32_t everyBlock; // the blocks with a number that this divides
  std::uint32_t warps;      // so many of a chosen block, the first ones
};

/// In nanoseconds with GLOBALTIMER, else in cycles of the multiprocessor. The compiler moves no
/// access to memory over it: what a scope holds stays in it.
inline __device__ std::uint32_t now() {
  std::uint32_t time;
#ifdef GLOBALTIMER
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(time)::"memory");
#else
  asm volatile("mov.u32 %0, %%clock;" : "=r"(time)::"memory");
#endif
  return time;
}

class Recorder {
public:
  __device__ explicit Recorder(const Recording &recording) : recording_(recording) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (thread % 32 != 0 || thread / 32 >= recording.warps || block % recording.everyBlock != 0)
      return;
    warp_ = block / recording.everyBlock * recording.warps + thread / 32;
    recording_.totals[warp_].time = now();
  }
  __device__ ~Recorder() {
    if (warp_ == none)
      return;
    Total &total = recording_.totals[warp_];
    total = {now() - total.time, count_};
  }
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  __device__ void add(std::uint32_t scope) {
    if (warp_ == none)
      return;
    if (count_ < recording_.entriesPerWarp)
      recording_.entries[warp_ * recording_.entriesPerWarp + count_] = {now(), scope};
    ++count_;
  }

private:
  static constexpr std::uint32_t none = ~0U;
  const Recording &recording_; // the kernel's parameter
  std::uint32_t warp_ = none, count_ = 0;
};

/// Around an annotated statement.
class Scope {
public:
  __device__ Scope(Recorder &recorder, std::uint32_t scope) : recorder_(recorder) {
    recorder_.add(scope);
  }
  __device__ ~Scope() { recorder_.add(scopeEnd); }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

private:
  Recorder &recorder_;
};

} // namespace graphprof::benchmark
