// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: counts allocations and frees, and makes events of them if an
// output wants those.

#include "graphprof/detail/seam.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <unistd.h>

#include "Thrown.h"
#include "calls/GraphCheck.h"
#include "calls/Guarded.h"
#include "calls/MeasuredMemory.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graphprof/step.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "process/ScopePath.h"
#include "session/Session.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

MemoryKind kindOf(graphprof_seam_memory kind) {
  static_assert(static_cast<int>(MemoryKind::Graph) == graphprof_seam_memoryGraph);
  return static_cast<MemoryKind>(kind);
}

// What this thread is about to free. Between freeing and freed the thread frees nothing else.
struct BeingFreed {
  const void *address = nullptr;
  Allocations::Block block;
  Allocations::Change change{};
};
thread_local BeingFreed freed;

const void *addressOf(MappedMemory::Handle handle) {
  return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(handle));
}

// Does not read the clock if no output wants memory events.
Allocations::Now timeOrNone(const Session &session) {
  return session.recordingSwitch.memory() ? &hostNowNs : [] { return std::int64_t{0}; };
}

// Counts an event that was lost for lack of memory.
void countLost() noexcept {
  if (Session &session = process().session; session.recordingSwitch.memory())
    ++session.counters.dropped;
}

template <class Work> void countedIfLost(Work work) noexcept {
  if (!survived(work))
    countLost();
}

bool isCaptured(driver::Stream stream) {
  driver::CaptureStatus status = driver::CaptureStatus::None;
  return driver::functions() && driver::ok(driver::cu().streamIsCapturing(stream, &status)) &&
         status == driver::CaptureStatus::Active;
}

// The device of `stream`, or the current device without a stream.
int deviceOf(driver::Stream stream) {
  int ordinal = 0;
  if (!driver::functions())
    return ordinal;
  if (stream) {
    const driver::ContextOf current(stream);
    driver::cu().ctxGetDevice(&ordinal);
  } else {
    driver::cu().ctxGetDevice(&ordinal);
  }
  return ordinal;
}

// The same number as host spans have.
std::uint64_t thisThread() {
  thread_local const auto id = static_cast<std::uint64_t>(::gettid());
  return id;
}

MemoryEvent eventOf(const void *address, const Allocations::Block &block,
                    const Allocations::Change &change, std::int64_t bytes) {
  MemoryEvent event;
  event.timeNs = change.atNs;
  event.bytes = bytes;
  event.allocated = change.allocated;
  event.address = reinterpret_cast<std::uintptr_t>(address);
  event.device = block.device;
  event.kind = block.kind;
  event.thread = thisThread();
  event.step = current_step();
  return event;
}

// Into the device's memory, by a thread that captures.
void countInCapture(const Allocations::Block &block) {
  GraphMemory *const memory = measuredMemory();
  if (!memory || block.kind == MemoryKind::Graph || block.kind == MemoryKind::Host)
    return;
  if (const auto &capturing = OpenRegions::ofThisThread().capturing; !capturing.empty())
    memory->allocated(capturing.back(), block.bytes);
}

void allocated(const void *address, const Allocations::Block &block) {
  used();
  countInCapture(block);
  Session &session = process().session;
  const Allocations::Change change =
      session.allocations.allocated(address, block, current_step() >= 0, timeOrNone(session));
  if (block.bytes > 0 && change.atNs > 0)
    session.outputs.consume(eventOf(address, block, change, static_cast<std::int64_t>(block.bytes)),
                            scopePath());
}

BeingFreed freeing(const void *address) {
  Session &session = process().session;
  const auto [block, change] = session.allocations.freeing(address, timeOrNone(session));
  return {address, block, change};
}

void hasFreed(const BeingFreed &gone) noexcept {
  countedIfLost([&] {
    Session &session = process().session;
    session.allocations.freed(gone.block);
    if (gone.change.atNs > 0)
      session.outputs.consume(eventOf(gone.address, gone.block, gone.change,
                                      -static_cast<std::int64_t>(gone.block.bytes)),
                              scopePath());
  });
}

void hasKept(const BeingFreed &there) noexcept {
  (void)survived([&] { process().session.allocations.kept(there.address, there.block); });
}

} // namespace

// Without memory for the block's entry, the block is not counted; the program's call has been made.
void graphprof_seam_allocated(const void *address, std::size_t bytes, graphprof_seam_memory kind,
                              CUstream_st *stream) noexcept {
  if (!active())
    return;
  internal::contextSeen(); // the first that an instrumented program tells of most contexts
  countedIfLost([&] {
    Allocations::Block block{bytes, kindOf(kind), -1};
    if (block.kind == MemoryKind::Pool && isCaptured(stream))
      block.kind = MemoryKind::Graph;
    if (block.kind != MemoryKind::Host)
      block.device = deviceOf(kind == graphprof_seam_memoryPool ? stream : nullptr);
    if (block.kind != MemoryKind::Graph) // a launch allocates it again
      checkAllocated(reinterpret_cast<std::uintptr_t>(address), bytes,
                     block.kind == MemoryKind::Pool);
    allocated(address, block);
  });
}

void graphprof_seam_allocatedOn(int device, const void *address, std::size_t bytes,
                                graphprof_seam_memory kind) noexcept {
  if (active())
    countedIfLost([&] { allocated(address, {bytes, kindOf(kind), device}); });
}

std::size_t graphprof_seam_freeing(const void *address) noexcept {
  if (!address || !active())
    return 0;
  freed = freeing(address);
  checkFreeing(reinterpret_cast<std::uintptr_t>(address));
  return freed.block.bytes;
}

void graphprof_seam_freed(const void *address, std::size_t bytes, int succeeded) noexcept {
  if (!succeeded)
    checkAllocated(reinterpret_cast<std::uintptr_t>(address), bytes,
                   freed.block.kind == MemoryKind::Pool);
  succeeded ? hasFreed(freed) : hasKept(freed);
}

void graphprof_seam_mappableCreated(unsigned long long handle, std::size_t bytes,
                                    int device) noexcept {
  if (!active())
    return;
  countedIfLost([&] {
    process().session.mappedMemory.created(handle);
    allocated(addressOf(handle),
              {bytes, device < 0 ? MemoryKind::Host : MemoryKind::Device, device});
  });
}

void graphprof_seam_mappableRetained(unsigned long long handle) noexcept {
  if (active())
    process().session.mappedMemory.retained(handle);
}

// A mapping that could not be noted for lack of memory counts as freed with its handle.
void graphprof_seam_mappableMapped(unsigned long long handle, unsigned long long address,
                                   std::size_t bytes) noexcept {
  if (!active())
    return;
  checkAllocated(static_cast<std::uintptr_t>(address), bytes, false);
  (void)survived([&] { process().session.mappedMemory.mapped({address, bytes, handle}); });
}

namespace {

struct MappableTaken {
  MappedMemory::Taken taken;
  std::vector<BeingFreed> freed;
};

// Null if nothing was taken.
MappableTaken *kept(MappedMemory::Taken taken) {
  if (taken.empty())
    return nullptr;
  auto result = std::make_unique<MappableTaken>();
  result->freed.reserve(taken.freed.size());
  for (const MappedMemory::Handle handle : taken.freed)
    result->freed.push_back(freeing(addressOf(handle)));
  result->taken = std::move(taken);
  return result.release();
}

} // namespace

// Without memory for the result, the handle stays counted.
void *graphprof_seam_mappableReleasing(unsigned long long handle) noexcept {
  void *taken = nullptr;
  if (active())
    (void)survived([&] { taken = kept(process().session.mappedMemory.release(handle)); });
  return taken;
}

void *graphprof_seam_mappableUnmapping(unsigned long long address, std::size_t bytes) noexcept {
  void *taken = nullptr;
  if (!active())
    return taken;
  checkFreeing(static_cast<std::uintptr_t>(address));
  (void)survived([&] { taken = kept(process().session.mappedMemory.unmap(address, bytes)); });
  return taken;
}

void graphprof_seam_mappableTaken(void *taken, int succeeded) noexcept {
  const std::unique_ptr<MappableTaken> owned(static_cast<MappableTaken *>(taken));
  for (const BeingFreed &each : owned->freed)
    succeeded ? hasFreed(each) : hasKept(each);
  if (!succeeded)
    (void)survived([&] { process().session.mappedMemory.restore(owned->taken); });
}
