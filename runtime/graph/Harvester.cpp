// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Harvester.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <pthread.h>

#include "session/HostSpans.h"
#include "session/Session.h"

namespace graphprof {

namespace {

// How long the thread sleeps between two looks at replays that have not finished. A ring holds many
// of them.
constexpr auto pollInterval = std::chrono::microseconds(200);
// How long it goes on looking when nothing is out. Waking a sleeper costs the launching thread a
// microsecond or two: a program that launches every few milliseconds pays that once.
constexpr auto lingerInterval = std::chrono::milliseconds(1);
constexpr auto lingerTime = std::chrono::milliseconds(100);
constexpr auto abandonPatience = std::chrono::seconds(1);
constexpr auto flushInterval = std::chrono::microseconds(50);

} // namespace

Harvester &Harvester::instance() {
  static Harvester *const harvester = new Harvester;
  return *harvester;
}

void Harvester::add(std::shared_ptr<Pair> pair) {
  const std::lock_guard lock(mutex_);
  pairs_.push_back(std::move(pair));
}

// The race with a thread that falls asleep: work_ is set before asleep_ is read here, asleep_ is
// set before work_ is read there, both sequentially consistent; one of the two sees the other.
// Where work_ was set already, the thread has not taken it, and the pass behind that sees what was
// added before this call.
void Harvester::wake() noexcept {
  // Launching threads do not write to a line that all of them share when it says so already.
  if (!used_.load(std::memory_order_relaxed))
    used_.store(true, std::memory_order_relaxed);
  if (!work_.load())
    work_.store(true);
  std::call_once(started_, [this] {
    try {
      std::thread(&Harvester::run, this).detach();
    } catch (const std::exception &failure) {
      Session::instance().say(std::string("no thread for the harvest: ") + failure.what());
    }
  });
  if (asleep_.load()) {
    const std::lock_guard lock(mutex_);
    sleeper_.notify_one();
  }
}

void Harvester::run() {
  using Clock = std::chrono::steady_clock;
  thread_ = std::this_thread::get_id();
  pthread_setname_np(pthread_self(), "graphprof"); // for debuggers and profilers
  for (;;) {
    idle_.store(false); // before work_: flush() must never see both as they were before this pass
    work_.store(false);
    if (pass() > 0) {
      std::this_thread::sleep_for(pollInterval);
      continue;
    }
    idle_.store(true);
    const Clock::time_point until = Clock::now() + lingerTime;
    while (!work_.load() && Clock::now() < until)
      std::this_thread::sleep_for(lingerInterval);
    std::unique_lock lock(mutex_);
    asleep_.store(true);
    sleeper_.wait(lock, [this] { return work_.load(); });
    asleep_.store(false);
  }
}

std::size_t Harvester::pass() {
  const std::lock_guard passing(passMutex_);
  Session &session = Session::instance();
  std::vector<std::shared_ptr<Pair>> pairs;
  {
    const std::lock_guard lock(mutex_);
    pairs = pairs_;
  }
  HostSpans::instance().harvest(session);
  std::size_t out = eager_.harvest(session);
  std::vector<Pair *> finished;
  for (const auto &pair : pairs) {
    out += pair->harvest(session);
    if (pair->finished())
      finished.push_back(pair.get());
  }
  if (!finished.empty()) {
    const std::lock_guard lock(mutex_);
    std::erase_if(pairs_, [&](const std::shared_ptr<Pair> &pair) {
      return std::find(finished.begin(), finished.end(), pair.get()) != finished.end();
    });
  }
  return out;
}

bool Harvester::flush(std::int64_t timeoutMs) {
  if (std::this_thread::get_id() == thread_.load())
    return false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
  if (!used_.load() && !HostSpans::instance().used())
    return true; // nothing was ever launched or timed
  wake();
  for (;;) {
    // Idle after a pass that began behind the last wake: everything launched so far has been handed
    // on.
    if (idle())
      return true;
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(flushInterval);
  }
}

bool Harvester::handedOn(std::int64_t hostNs) {
  if (HostSpans::instance().outBefore(hostNs)) {
    wake(); // nobody does so for a single span
    return false;
  }
  std::vector<std::shared_ptr<Pair>> pairs;
  {
    const std::lock_guard lock(mutex_);
    pairs = pairs_;
  }
  return !eager_.outBefore(hostNs) &&
         std::none_of(pairs.begin(), pairs.end(),
                      [hostNs](const auto &pair) { return pair->outBefore(hostNs); });
}

void Harvester::abandon(Session &session) {
  // A pass under way ends soon, unless a callback of the program's never returns: exit all the
  // same, and only count what that pass may still hold.
  const std::unique_lock passing(passMutex_, abandonPatience);
  std::vector<std::shared_ptr<Pair>> pairs;
  {
    const std::lock_guard lock(mutex_);
    pairs = pairs_;
  }
  for (const auto &pair : pairs)
    session.counters.unfinished += passing ? pair->abandon() : pair->outstanding();
  session.counters.eager += passing ? eager_.abandon() : eager_.outstanding();
  if (passing) // what ended waits for no device
    HostSpans::instance().harvest(session);
  else
    session.counters.hostSpans += HostSpans::instance().abandon();
}

} // namespace graphprof
