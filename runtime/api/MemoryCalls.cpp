// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/memory_calls.h: the tally of allocations, and their events where somebody
// wants them.

#include "graphprof/detail/memory_calls.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <unistd.h>

#include "api/Lifetime.h"
#include "api/ScopePath.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graphprof/step.h"
#include "session/ArrayBytes.h"
#include "session/Session.h"

namespace graphprof::detail {

namespace {

// What this thread is about to free: between memoryFreeing() and what follows there is no other.
struct BeingFreed {
  const void *address = nullptr;
  Allocations::Block block;
  Allocations::Change change{};
};
thread_local BeingFreed freed;

const void *addressOf(MappedMemory::Handle handle) {
  return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(handle));
}

// Nobody asks for the time where nobody wants to know.
Allocations::Now timeOrNone(const Session &session) {
  return session.recordingSwitch.memory() ? &hostNowNs : [] { return std::int64_t{0}; };
}

// For want of memory an event goes by.
void countLost() noexcept {
  if (Session &session = Session::instance(); session.recordingSwitch.memory())
    ++session.counters.dropped;
}

bool isCaptured(driver::Stream stream) {
  driver::CaptureStatus status = driver::CaptureStatus::None;
  return driver::functions() && driver::ok(driver::cu().streamIsCapturing(stream, &status)) &&
         status == driver::CaptureStatus::Active;
}

// The device that is current, or that of `stream` where there is one.
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

// As host spans have it.
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
  event.step = currentStep();
  return event;
}

void allocated(const void *address, const Allocations::Block &block) {
  used();
  Session &session = Session::instance();
  const Allocations::Change change =
      session.allocations.allocated(address, block, currentStep() >= 0, timeOrNone(session));
  if (block.bytes > 0 && change.atNs > 0)
    session.consume(eventOf(address, block, change, static_cast<std::int64_t>(block.bytes)),
                    scopePath());
}

BeingFreed freeing(const void *address) {
  Session &session = Session::instance();
  const auto [block, change] = session.allocations.freeing(address, timeOrNone(session));
  return {address, block, change};
}

void hasFreed(const BeingFreed &gone) noexcept try {
  Session &session = Session::instance();
  session.allocations.freed(gone.block);
  if (gone.change.atNs > 0)
    session.consume(eventOf(gone.address, gone.block, gone.change,
                            -static_cast<std::int64_t>(gone.block.bytes)),
                    scopePath());
} catch (...) {
  countLost();
}

void hasKept(const BeingFreed &there) noexcept try {
  Session::instance().allocations.kept(there.address, there.block);
} catch (...) {
  return;
}

// Where memory is mapped later, nothing has been allocated.
void arrayAllocated(const void *array, std::uint64_t bytes) noexcept {
  if (bytes > 0)
    memoryAllocated(array, bytes, MemoryKind::Device);
}

} // namespace

// Without memory for the tally there is none: the program's call has been made.
void memoryAllocated(const void *address, std::size_t bytes, MemoryKind kind,
                     CUstream_st *stream) noexcept try {
  Allocations::Block block{bytes, kind, -1};
  if (kind == MemoryKind::Pool && isCaptured(stream))
    block.kind = MemoryKind::Graph;
  if (kind != MemoryKind::Host)
    block.device = deviceOf(kind == MemoryKind::Pool ? stream : nullptr);
  allocated(address, block);
} catch (...) {
  countLost();
}

void memoryAllocatedOn(int device, const void *address, std::size_t bytes, MemoryKind kind) noexcept
    try {
  allocated(address, {bytes, kind, device});
} catch (...) {
  countLost();
}

void channelArrayAllocated(const void *array, const ArrayShape &shape, int kind,
                           int channelBits) noexcept {
  arrayAllocated(array, arrayBytes(shape, elementOfKind(kind, channelBits)));
}

void formatArrayAllocated(const void *array, const ArrayShape &shape, int format,
                          unsigned channels) noexcept {
  arrayAllocated(array, arrayBytes(shape, elementOfFormat(format, channels)));
}

std::size_t memoryFreeing(const void *address) noexcept {
  freed = freeing(address);
  return freed.block.bytes;
}

void memoryFreed(std::size_t /*bytes*/) noexcept { hasFreed(freed); }

void memoryKept(const void * /*address*/, std::size_t /*bytes*/) noexcept { hasKept(freed); }

void mappableCreated(unsigned long long handle, std::size_t bytes, int device) noexcept try {
  Session::instance().mappedMemory.created(handle);
  allocated(addressOf(handle), {bytes, device < 0 ? MemoryKind::Host : MemoryKind::Device, device});
} catch (...) {
  countLost();
}

void mappableRetained(unsigned long long handle) noexcept {
  Session::instance().mappedMemory.retained(handle);
}

// Not noted for want of memory, it counts as freed with its handle.
void mappableMapped(unsigned long long handle, unsigned long long address,
                    std::size_t bytes) noexcept try {
  Session::instance().mappedMemory.mapped({address, bytes, handle});
} catch (...) {
  return;
}

struct MappableTaken {
  MappedMemory::Taken taken;
  std::vector<BeingFreed> freed;
};

namespace {

// Null where nothing was taken.
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

// Without memory to keep what goes it stays counted.
MappableTaken *mappableReleasing(unsigned long long handle) noexcept try {
  return kept(Session::instance().mappedMemory.release(handle));
} catch (...) {
  return nullptr;
}

MappableTaken *mappableUnmapping(unsigned long long address, std::size_t bytes) noexcept try {
  return kept(Session::instance().mappedMemory.unmap(address, bytes));
} catch (...) {
  return nullptr;
}

void mappableTaken(MappableTaken *taken, bool succeeded) noexcept try {
  const std::unique_ptr<MappableTaken> owned(taken);
  for (const BeingFreed &each : owned->freed)
    succeeded ? hasFreed(each) : hasKept(each);
  if (!succeeded)
    Session::instance().mappedMemory.restore(owned->taken);
} catch (...) {
  return;
}

} // namespace graphprof::detail
