// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/harvest/Harvester.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <new>

#include <pthread.h>

#include "NoSignals.h"
#include "session/Session.h"
#include "session/host/HostSpans.h"

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
// Execs that are gone and not harvested. A ring takes up to a megabyte of pinned memory.
constexpr std::size_t mostLeaving = 128;
constexpr std::size_t triedAtOnce = 2;

} // namespace

Harvester &Harvester::instance() noexcept {
  alignas(Harvester) static std::array<std::byte, sizeof(Harvester)> memory;
  static Harvester *const harvester = new (memory.data()) Harvester;
  return *harvester;
}

void Harvester::add(std::shared_ptr<Pair> pair) {
  const MutexLock lock(mutex_);
  pairs_.push_back(std::move(pair));
}

void Harvester::leaving(const std::shared_ptr<Pair> &pair) noexcept try {
  std::vector<std::shared_ptr<Pair>> tooMany;
  {
    const MutexLock lock(mutex_);
    while (!leaving_.empty() && leaving_.front().expired())
      leaving_.pop_front();
    leaving_.push_back(pair);
    if (std::this_thread::get_id() == passing_.load()) // a callback of the program's
      return;
    for (std::size_t i = 0; i < triedAtOnce && leaving_.size() > mostLeaving; ++i) {
      if (auto oldest = leaving_.front().lock())
        tooMany.push_back(std::move(oldest));
      leaving_.pop_front();
    }
  }
  Session &session = Session::instance();
  for (const auto &oldest : tooMany)
    if (const std::optional<std::size_t> lost = oldest->giveUp(session); !lost) {
      const MutexLock lock(mutex_); // it runs, or is being read
      leaving_.push_back(oldest);
    } else if (*lost > 0) {
      session.say("replays of destroyed execs were lost: too many waited to be read; synchronize "
                  "before you destroy an exec");
    }
} catch (...) { // no memory: it waits for the harvest
  return;
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
  if (thread_.load(std::memory_order_relaxed) == Thread::None)
    start();
  if (asleep_.load())
    work_.notify_one();
}

void Harvester::start() noexcept {
  Thread none = Thread::None;
  if (!thread_.compare_exchange_strong(none, Thread::Starting))
    return;
  try {
    const NoSignals guard;
    std::thread(&Harvester::run, this).detach();
    thread_.store(Thread::Runs);
  } catch (const std::exception &failure) {
    thread_.store(Thread::Refused);
    Session::instance().say("no thread could be started to read timings, so only "
                            "graphprof::flush() and the end of the program read them: ",
                            failure.what());
  }
}

void Harvester::run() noexcept {
  using Clock = std::chrono::steady_clock;
  id_ = std::this_thread::get_id();
  if (clockid_t clock{}; pthread_getcpuclockid(pthread_self(), &clock) == 0)
    clock_ = clock;
  pthread_setname_np(pthread_self(), "graphprof"); // for debuggers and profilers
  for (;;) {
    if (void (*const asked)() noexcept = asked_.exchange(nullptr))
      asked();
    if (harvest() > 0) {
      std::this_thread::sleep_for(pollInterval);
      continue;
    }
    const Clock::time_point until = Clock::now() + lingerTime;
    while (!work_.load() && Clock::now() < until)
      std::this_thread::sleep_for(lingerInterval);
    asleep_.store(true);
    work_.wait(false);
    asleep_.store(false);
  }
}

bool Harvester::onThread(void (*work)() noexcept) noexcept {
  if (thread_.load() != Thread::Runs)
    return false;
  asked_.store(work);
  wake();
  return true;
}

std::chrono::nanoseconds Harvester::worked() const noexcept {
  timespec time{};
  if (const clockid_t clock = clock_.load(); !clock || clock_gettime(clock, &time) != 0)
    return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Without memory for it a pass ends early, and the next one goes on from there.
std::size_t Harvester::harvest() noexcept {
  if (!passMutex_.tryLockFor(pollInterval)) // somebody else is at it
    return 1;
  const MutexLock lock(passMutex_, std::adopt_lock);
  passing_.store(std::this_thread::get_id());
  idle_.store(false); // before work_: flush() must never see both as they were before this pass
  work_.store(false);
  std::size_t out = 1;
  try {
    out = pass(Session::instance());
  } catch (...) {
    out = 1;
  }
  if (out == 0)
    idle_.store(true);
  passing_.store(std::thread::id());
  return out;
}

std::size_t Harvester::pass(Session &session) {
  const std::vector<std::shared_ptr<Pair>> all = pairs();
  HostSpans::instance().harvest(session);
  std::size_t out = eager_.harvest(session);
  std::vector<Pair *> finished;
  for (const auto &pair : all) {
    out += pair->harvest(session);
    if (pair->finished())
      finished.push_back(pair.get());
  }
  if (!finished.empty()) {
    const MutexLock lock(mutex_);
    std::erase_if(pairs_, [&](const std::shared_ptr<Pair> &pair) {
      return std::find(finished.begin(), finished.end(), pair.get()) != finished.end();
    });
  }
  return out;
}

bool Harvester::flush(std::int64_t timeoutMs) noexcept {
  if (isPassing())
    return false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
  if (!used_.load() && !HostSpans::instance().used())
    return true; // nothing was ever launched or timed
  if (thread_.load() == Thread::Refused)
    thread_.store(Thread::None); // perhaps there is one now
  wake();
  for (;;) {
    if (harvestsItself())
      (void)harvest();
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
  const std::vector<std::shared_ptr<Pair>> all = pairs();
  return !eager_.outBefore(hostNs) &&
         std::none_of(all.begin(), all.end(),
                      [hostNs](const auto &pair) { return pair->outBefore(hostNs); });
}

// A pass under way ends soon, unless a callback of the program's never returns: exit all the same,
// and only count what that pass may still hold.
void Harvester::abandon(Session &session) {
  if (!passMutex_.tryLockFor(abandonPatience)) {
    for (const auto &pair : pairs())
      session.counters.unfinished += pair->outstanding();
    session.counters.eager += eager_.outstanding();
    session.counters.hostSpans += HostSpans::instance().abandon();
    return;
  }
  const MutexLock passing(passMutex_, std::adopt_lock);
  for (const auto &pair : pairs())
    session.counters.unfinished += pair->abandon();
  session.counters.eager += eager_.abandon();
  HostSpans::instance().harvest(session); // what ended waits for no device
}

std::vector<std::shared_ptr<Pair>> Harvester::pairs() {
  const MutexLock lock(mutex_);
  return pairs_;
}

} // namespace graphprof
