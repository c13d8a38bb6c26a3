// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/memory/Stretches.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <unistd.h>

#include "Thrown.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

int thisThread() noexcept {
  thread_local const int id = ::gettid();
  return id;
}

} // namespace

// In its context, which is current.
std::optional<Stretches::Reading> Stretches::readingOf(const Stretch &stretch) noexcept {
  const driver::RelaxedCapture relaxed;
  std::size_t free = 0, total = 0;
  if (!relaxed || !ok(cu().memGetInfo(&free, &total)))
    return std::nullopt;
  Reading reading{static_cast<std::int64_t>(free), std::nullopt};
  std::uint64_t reserved = 0;
  if (stretch.asksPool) {
    if (!ok(cu().deviceGetGraphMemAttribute(stretch.device, driver::graphMemReserved, &reserved)))
      return std::nullopt;
    reading.pool = static_cast<std::int64_t>(reserved);
  }
  return reading;
}

void Stretches::OfDevice::read(const Reading &now) {
  if (free && !open.empty())
    open.back().taken.bytes += *free - now.free;
  free = now.free;
  if (!now.pool)
    return;
  const auto asking =
      std::find_if(open.rbegin(), open.rend(), [](const Open &each) { return each.asksPool; });
  if (pool && asking != open.rend())
    asking->taken.poolBytes += *now.pool - *pool;
  pool = now.pool;
}

// What began later and has not ended overlaps with it.
std::optional<Stretches::Taken> Stretches::OfDevice::close(std::uint64_t id) {
  const auto mine = std::ranges::find(open, id, &Open::id);
  if (mine == open.end())
    return std::nullopt;
  for (auto later = std::next(mine); later != open.end(); ++later)
    mine->taken.overlaps = later->taken.overlaps = true;
  const Taken taken = mine->taken;
  open.erase(mine);
  return taken;
}

Stretches::Stretch Stretches::begin(bool asksPool) noexcept {
  Stretch stretch;
  stretch.asksPool = asksPool;
  stretch.context = driver::currentContext();
  if (!stretch.context || !ok(cu().ctxGetDevice(&stretch.device)))
    return {};
  const auto reading = readingOf(stretch);
  if (!reading)
    return {};
  const bool noted = survived([&] {
    const MutexLock lock(mutex_);
    OfDevice &device = devices_[stretch.device];
    device.open.reserve(device.open.size() + 1);
    device.read(*reading);
    Open mine{++last_, thisThread(), asksPool, {}};
    mine.taken.device = stretch.device;
    for (Open &other : device.open)
      if (other.thread != mine.thread)
        other.taken.overlaps = mine.taken.overlaps = true;
    device.open.push_back(mine);
    stretch.id = mine.id;
  });
  return noted ? stretch : Stretch();
}

std::optional<Stretches::Taken> Stretches::end(Stretch &stretch) noexcept {
  const Stretch began = std::exchange(stretch, {});
  if (began.id == 0)
    return std::nullopt;
  const driver::CurrentContext current(began.context);
  const auto reading = current.valid() ? readingOf(began) : std::nullopt;
  const MutexLock lock(mutex_);
  const auto found = devices_.find(began.device);
  if (found == devices_.end())
    return std::nullopt;
  if (reading)
    found->second.read(*reading);
  const auto taken = found->second.close(began.id);
  return reading ? taken : std::nullopt;
}

void Stretches::drop(Stretch &stretch) noexcept {
  const Stretch began = std::exchange(stretch, {});
  if (began.id == 0)
    return;
  const MutexLock lock(mutex_);
  if (const auto found = devices_.find(began.device); found != devices_.end())
    (void)found->second.close(began.id);
}

} // namespace graphprof
