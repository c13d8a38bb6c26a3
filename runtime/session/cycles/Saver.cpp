// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Saver.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "OwnThread.h"
#include "Thrown.h"

namespace graphprof {

namespace {

// Most replays finish within a millisecond; a replay that waits for other work may take minutes.
constexpr auto shortestSleep = std::chrono::microseconds(100);
constexpr auto longestSleep = std::chrono::microseconds(10'000);

} // namespace

void Saver::add(std::int64_t hostNs, std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (!started_)
    startOwnThread([this] { run(); });
  started_ = true;
  waiting_.push_back({hostNs, std::move(work)});
  changed_.notifyAll();
}

void Saver::run() {
  thread_ = std::this_thread::get_id();
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this]() REQUIRES(mutex_) { return !waiting_.empty(); });
    const Work &next = waiting_.front(); // stays where it is: other threads only add behind it
    lock.unlock();
    await(next.hostNs);
    next.work();
    lock.lock();
    Work done = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notifyAll();
    lock.unlock();
    done = {}; // its destructors may be foreign code
    lock.lock();
  }
}

// Without memory to find out, the answer is no.
bool Saver::isHandedOn(std::int64_t hostNs) noexcept {
  bool is = false;
  return survived([&] { is = handedOn_(hostNs); }) && is;
}

void Saver::await(std::int64_t hostNs) {
  for (auto sleep = shortestSleep; !isHandedOn(hostNs); sleep = std::min(2 * sleep, longestSleep))
    std::this_thread::sleep_for(sleep);
}

bool Saver::flush(std::int64_t timeoutMs) {
  if (isThisThread())
    return false;
  MutexLock lock(mutex_);
  return changed_.waitFor(lock, std::chrono::milliseconds(timeoutMs),
                          [this]() REQUIRES(mutex_) { return waiting_.empty(); });
}

} // namespace graphprof
