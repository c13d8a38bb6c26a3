// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs a block's threads in turn on one thread of the host: each until it waits for others.

#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "on_cpu.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace {

using graphprof::device::Entry;
using graphprof::device::Twin;
using graphprof::device::Warp;

Twin *twins = nullptr;

constexpr size_t stackBytes = 256 * 1024;
constexpr unsigned tag = 7 % 0xFFFF + 1;

/// A barrier of some threads: of the block, or of the lanes of a mask. A thread that has ended has
/// arrived.
struct Barrier {
  unsigned arrived = 0, generation = 0;
  unsigned values[2][32] = {}; // of a warp's lanes, by generation: the next one's may come early
};

struct Block {
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    uint3 index;
    bool isDone = false;
  };
  std::vector<Thread> threads;
  size_t current = 0;
  ucontext_t scheduler;
  const on_cpu::Body *body = nullptr;
  const on_cpu::Recording *recording = nullptr;
  Barrier whole;
  std::vector<std::map<unsigned, Barrier>> warps; // by mask
  unsigned long progress = 0;

  unsigned liveLanes(size_t warp) const {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < threads.size(); ++lane)
      mask |= threads[warp * 32 + lane].isDone ? 0 : 1U << lane;
    return mask;
  }
  unsigned live() const {
    unsigned count = 0;
    for (const Thread &each : threads)
      count += !each.isDone;
    return count;
  }
  /// Until `isOver`. The scheduler lets the others run.
  template <class IsOver> void wait(IsOver isOver) {
    const size_t me = current;
    while (!isOver())
      swapcontext(&threads[me].context, &scheduler);
  }
};
Block *block = nullptr;

void begin() {
  block->body->run(*block->recording);
  block->threads[block->current].isDone = true;
  ++block->progress;
}

void release(Barrier &barrier) {
  barrier.arrived = 0;
  ++barrier.generation;
  ++block->progress;
}

void runBlock(dim3 size, const on_cpu::Body &body, const on_cpu::Recording &recording) {
  Block mine;
  block = &mine;
  mine.body = &body;
  mine.recording = &recording;
  mine.threads.resize(size_t{size.x} * size.y * size.z);
  mine.warps.resize((mine.threads.size() + 31) / 32);
  for (unsigned i = 0; i < mine.threads.size(); ++i) {
    Block::Thread &each = mine.threads[i];
    each.index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    each.stack = std::make_unique_for_overwrite<char[]>(stackBytes);
    getcontext(&each.context);
    each.context.uc_stack.ss_sp = each.stack.get();
    each.context.uc_stack.ss_size = stackBytes;
    each.context.uc_link = &mine.scheduler;
    makecontext(&each.context, begin, 0);
  }
  while (mine.live() > 0) {
    const unsigned long before = mine.progress;
    for (mine.current = 0; mine.current < mine.threads.size(); ++mine.current) {
      if (mine.threads[mine.current].isDone)
        continue;
      threadIdx = mine.threads[mine.current].index;
      swapcontext(&mine.scheduler, &mine.threads[mine.current].context);
    }
    if (mine.progress == before) {
      std::puts("the threads wait for each other for ever");
      std::exit(1);
    }
  }
}

void runGrid(const on_cpu::Launch &how, const on_cpu::Body &body, const on_cpu::Recording &recording) {
  gridDim = how.grid;
  blockDim = how.block;
  for (unsigned z = 0; z < how.grid.z; ++z)
    for (unsigned y = 0; y < how.grid.y; ++y)
      for (unsigned x = 0; x < how.grid.x; ++x) {
        blockIdx = {x, y, z};
        runBlock(how.block, body, recording);
      }
}

using Bytes = std::vector<std::string>;

Bytes read(std::initializer_list<on_cpu::Memory> memory) {
  Bytes bytes;
  for (const on_cpu::Memory &each : memory)
    bytes.emplace_back(static_cast<const char *>(each.data), each.bytes);
  return bytes;
}
void write(const Bytes &bytes, std::initializer_list<on_cpu::Memory> memory) {
  const std::string *from = bytes.data();
  for (const on_cpu::Memory &each : memory)
    std::memcpy(each.data, (from++)->data(), each.bytes);
}

/// What a warp wrote, as `load product{step step}`.
std::string written(const Twin &twin, const Warp &warp, const Entry *entries, unsigned room) {
  if (warp.state >> 16 != tag)
    return "nothing";
  const unsigned count = warp.state & 0xFFFF, kept = count < room ? count : room;
  std::string text;
  unsigned depth = 0;
  bool justBegun = false;
  for (unsigned i = 0; i < kept; ++i) {
    const unsigned scope = entries[i].what & 0xFFFF;
    if (entries[i].what >> 16 != tag)
      return text + " ANOTHER REPLAY'S";
    if (scope == graphprof::device::scopeEnd) {
      if (depth-- == 0)
        return text + " AN END WITHOUT A BEGIN";
      text += justBegun ? "" : "}";
      justBegun = false;
    } else if (scope >= twin.scopeCount) {
      return text + " NO SCOPE OF THIS KERNEL";
    } else {
      text += (justBegun ? "{" : text.empty() ? "" : " ") + std::string(twin.scopes[scope].name);
      justBegun = true;
      ++depth;
    }
  }
  for (unsigned i = kept; i < room; ++i)
    if (entries[i].what != 0)
      return text + " MORE THAN IT COUNTED";
  if (depth > 0)
    text += "; " + std::to_string(depth) + " open";
  if (count > kept)
    text += "; " + std::to_string(count - kept) + " found no room";
  return text.empty() ? "no region" : text;
}

} // namespace

extern "C" {

void __syncthreads() {
  Barrier &mine = block->whole;
  const unsigned generation = mine.generation;
  ++mine.arrived;
  ++block->progress;
  block->wait([&] {
    if (mine.generation == generation && mine.arrived == block->live())
      release(mine);
    return mine.generation != generation;
  });
}

unsigned onCpuLane() { return static_cast<unsigned>(block->current % 32); }

unsigned onCpuExchange(unsigned mask, unsigned value, unsigned lane) {
  const size_t warp = block->current / 32;
  Barrier &mine = block->warps[warp][mask];
  const unsigned generation = mine.generation, own = onCpuLane();
  mine.arrived |= 1U << own;
  mine.values[generation % 2][own] = value;
  ++block->progress;
  block->wait([&] {
    const unsigned all = mask & block->liveLanes(warp);
    if (mine.generation == generation && (mine.arrived & all) == all)
      release(mine);
    return mine.generation != generation;
  });
  return lane < 32 && (mask >> lane & 1) ? mine.values[generation % 2][lane] : value;
}

void __syncwarp(unsigned mask) { onCpuExchange(mask, 0, 0); }

unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    votes |= (mask >> lane & 1) && onCpuExchange(mask, predicate != 0, lane) ? 1U << lane : 0;
  return votes;
}

float onCpuExp(float x) { return std::exp(x); }

} // extern "C"

void graphprof::device::addTwin(Twin *twin) noexcept {
  twin->next = twins;
  twins = twin;
}
void graphprof::device::removeTwin(Twin *) noexcept {}

namespace on_cpu {

const Twin &twinOf(const void *kernel) {
  for (const Twin *each = twins; each; each = each->next)
    if (each->kernel == kernel)
      return *each;
  std::puts("this kernel has no twin");
  std::exit(1);
}

void compare(const Twin &twin, const Launch &how, std::initializer_list<Memory> memory, const Body &kernel,
             const Body &timed) {
  const unsigned blocks = how.grid.x * how.grid.y * how.grid.z;
  const unsigned sampled = (blocks + how.everyBlock - 1) / how.everyBlock;
  const unsigned places = sampled * how.warpsPerBlock;
  std::vector<Warp> warps(places + 1);
  std::vector<Entry> entries(size_t{places + 1} * how.entriesPerWarp);
  const unsigned long long sequence = tag - 1;
  const Recording nowhere{};
  const Recording recording{&sequence, warps.data(), entries.data(), 1, places, how.entriesPerWarp,
                            how.everyBlock, how.warpsPerBlock, 0};
  const Bytes before = read(memory);
  runGrid(how, kernel, nowhere);
  const Bytes expected = read(memory);
  write(before, memory);
  runGrid(how, timed, nowhere);
  bool isSame = read(memory) == expected;
  write(before, memory);
  runGrid(how, timed, recording);
  isSame &= read(memory) == expected;
  std::printf("%s: %s\n", twin.name, !isSame ? "OTHER BYTES" : expected == before ? "NOTHING WRITTEN" : "same bytes");
  for (unsigned i = 0; i < places; ++i)
    std::printf("block %u, warp %u: %s\n", i / how.warpsPerBlock * how.everyBlock, i % how.warpsPerBlock,
                written(twin, warps[i], &entries[size_t{i} * how.entriesPerWarp], how.entriesPerWarp).c_str());
  if (warps[places].state != 0 || entries[size_t{places} * how.entriesPerWarp].what != 0)
    std::puts("WRITTEN BEHIND THE LAST WARP");
}

} // namespace on_cpu
