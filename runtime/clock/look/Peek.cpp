// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/look/Peek.h"

#include <algorithm>
#include <cstddef>
#include <thread>

#include "Deadline.h"
#include "clock/Device.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {
constexpr std::size_t wordsAtOnce = 4096;
constexpr std::chrono::microseconds pollInterval{50};
} // namespace

void Peek::prepare() {
  const MutexLock lock(mutex_);
  if (stream_)
    return;
  memory_ = device_.pinned().take(wordsAtOnce);
  if (!memory_.host || !ok(cu().streamCreateWithPriority(&stream_, driver::streamNonBlocking, 0)))
    stream_ = nullptr;
}

bool Peek::read(driver::DevicePointer from, std::span<std::uint64_t> into, Deadline &deadline) {
  const MutexLock lock(mutex_);
  if (!stream_ || !device_.isAlive())
    return false;
  const driver::CurrentContext current(device_.context());
  const driver::RelaxedCapture relaxed; // otherwise the calls invalidate a global-mode capture
  if (!current.valid() || !relaxed)
    return false;
  for (; !into.empty(); from += wordsAtOnce * sizeof(std::uint64_t)) {
    const std::span<std::uint64_t> piece = into.first(std::min(into.size(), wordsAtOnce));
    if (!copied(from, piece, deadline))
      return false;
    into = into.subspan(piece.size());
  }
  return true;
}

bool Peek::copied(driver::DevicePointer from, std::span<std::uint64_t> into, Deadline &deadline) {
  // A copy that was given up may still write.
  if (!becomesIdle(deadline) ||
      !ok(cu().memcpyDtoHAsync(memory_.host, from, into.size_bytes(), stream_)) ||
      !becomesIdle(deadline))
    return false;
  std::copy_n(memory_.host, into.size(), into.begin());
  return true;
}

bool Peek::becomesIdle(Deadline &deadline) {
  for (;;) {
    const driver::Result result = cu().streamQuery(stream_);
    if (ok(result))
      return true;
    if (result != driver::Result::NotReady || deadline.isOver())
      return false;
    std::this_thread::sleep_for(pollInterval);
  }
}

} // namespace graphprof
