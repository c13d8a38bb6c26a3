// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/harvest/Harvester.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <pthread.h>

#include "Deadline.h"
#include "OwnThread.h"
#include "Thrown.h"
#include "clock/HostClock.h"
#include "host/HostSpans.h"
#include "output/data/ReplaySink.h"
#include "services/HeldSteps.h"
#include "services/Services.h"

namespace graphprof {

namespace {

// How long the thread sleeps between two looks at unfinished replays. A ring holds many of them.
constexpr auto pollInterval = std::chrono::microseconds(200);
// How long it continues to look when nothing is outstanding. To wake it costs a launch one or two
// microseconds; a program that launches every few milliseconds pays that once.
constexpr auto lingerInterval = std::chrono::milliseconds(1);
constexpr auto lingerTime = std::chrono::milliseconds(100);
constexpr auto inFlightPatience = std::chrono::milliseconds(300);
constexpr auto abandonPatience = std::chrono::seconds(1);
constexpr auto flushInterval = std::chrono::microseconds(50);
// Execs that are destroyed but not yet harvested. A ring takes up to a megabyte of pinned memory.
constexpr std::size_t mostLeaving = 128;
constexpr std::size_t triedAtOnce = 2;

} // namespace

void Harvester::add(std::shared_ptr<Pair> pair) {
  const MutexLock lock(mutex_);
  pairs_.push_back(std::move(pair));
}

void Harvester::leaving(const std::shared_ptr<Pair> &pair) noexcept {
  (void)survived([&] { // if not, the pair waits for the harvest
    for (const auto &oldest : tooManyWith(pair))
      if (const std::optional<std::size_t> lost = oldest->giveUp(); !lost) {
        const MutexLock lock(mutex_); // the exec runs, or is being read
        leaving_.push_back(oldest);
      } else if (*lost > 0) {
        services_.say("replays of destroyed execs were lost: too many waited to be read; "
                      "synchronize before you destroy an exec");
      }
  });
}

std::vector<std::shared_ptr<Pair>> Harvester::tooManyWith(const std::shared_ptr<Pair> &pair) {
  std::vector<std::shared_ptr<Pair>> tooMany;
  const MutexLock lock(mutex_);
  while (!leaving_.empty() && leaving_.front().expired())
    leaving_.pop_front();
  leaving_.push_back(pair);
  if (std::this_thread::get_id() == passing_.load()) // in a callback of the program
    return tooMany;
  for (std::size_t i = 0; i < triedAtOnce && leaving_.size() > mostLeaving; ++i) {
    if (auto oldest = leaving_.front().lock())
      tooMany.push_back(std::move(oldest));
    leaving_.pop_front();
  }
  return tooMany;
}

// The race with a thread that falls asleep: this sets work_ before it reads asleep_; the thread
// sets asleep_ before it reads work_; all sequentially consistent. So one of the two sees the
// other. If work_ was already set, the thread has not taken it yet, and its next pass sees what was
// added before this call.
void Harvester::wake() noexcept {
  // If the flag is set already, launching threads do not write to this shared line.
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
    startOwnThread([this] { run(); });
    thread_.store(Thread::Runs);
  } catch (const std::exception &failure) {
    thread_.store(Thread::Refused);
    services_.say("no thread could be started to read timings, so only "
                  "graphprof::flush() and the end of the program read them: ",
                  failure.what());
  }
}

void Harvester::run() noexcept {
  id_ = std::this_thread::get_id();
  if (clockid_t clock{}; pthread_getcpuclockid(pthread_self(), &clock) == 0)
    clock_ = clock;
  for (;;) {
    if (void (*const asked)() noexcept = asked_.exchange(nullptr))
      asked();
    if (harvest() > 0) {
      std::this_thread::sleep_for(pollInterval);
      continue;
    }
    Deadline linger(lingerTime, lingerInterval);
    while (!work_.load() && !linger.isOver())
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

// Without memory a pass ends early, and the next one continues.
std::size_t Harvester::harvest() noexcept {
  if (!passMutex_.tryLockFor(pollInterval)) // another thread is harvesting
    return 1;
  const MutexLock lock(passMutex_, std::adopt_lock);
  passing_.store(std::this_thread::get_id());
  idle_.store(false); // before work_: flush() must never see both values from before this pass
  work_.store(false);
  std::size_t out = 1;
  try {
    out = pass();
  } catch (...) {
    out = 1;
  }
  if (out == 0)
    idle_.store(true);
  passing_.store(std::thread::id());
  return out;
}

std::size_t Harvester::pass() {
  const std::vector<std::shared_ptr<Pair>> all = pairs();
  // Asked before the spans and regions are taken: those of the steps before it are among them.
  const std::int64_t first = steps_.first();
  const std::uint64_t taken = eager_.taken();
  if (spans_.harvest(sink_))
    settled_.note(first, taken);
  // Replays first, and before each what ran outside graphs before it.
  bool mayBeEarlier = true; // what has not finished is asked for once, because that calls CUDA
  const LaunchedReplays::Turn turn{
      order_, [&](std::int64_t hostNs) {
        if (mayBeEarlier && eager_.harvest(order_, {.beforeNs = hostNs, .launches = {}}))
          mayBeEarlier = !eager_.outBefore(hostNs);
      }};
  std::size_t out = 0;
  std::vector<Pair *> finished;
  std::vector<PendingLaunches::Oldest> unfinished;
  for (const auto &pair : all) {
    const std::size_t left = pair->replays().harvest(sink_, turn);
    out += left;
    if (pair->finished())
      finished.push_back(pair.get());
    if (const auto oldest = left > 0 ? pair->replays().pending.oldest() : std::nullopt)
      unfinished.push_back(*oldest);
  }
  if (stuckAfterNs_ > 0)
    watch(unfinished);
  out += eager_.harvest(order_, {.launches = unfinished});
  if (!finished.empty()) {
    const MutexLock lock(mutex_);
    std::erase_if(pairs_, [&](const std::shared_ptr<Pair> &pair) {
      return std::find(finished.begin(), finished.end(), pair.get()) != finished.end();
    });
  }
  if (const std::optional<std::int64_t> step = settled_.news(eager_.handedOn()))
    sink_.settled(*step);
  return out;
}

void Harvester::watch(std::span<const PendingLaunches::Oldest> unfinished) {
  const std::int64_t beforeNs = hostNowNs() - stuckAfterNs_;
  const bool wasStuck = isStuck_;
  isStuck_ = std::ranges::any_of(
      unfinished, [beforeNs](const auto &launch) { return launch.launchNs < beforeNs; });
  if (isStuck_ && !wasStuck)
    tellStuck_();
}

// While a pass is kept away, no context ends in which a call may be made (finishOn()).
std::optional<std::vector<ReplayInFlight>> Harvester::inFlight(Deadline &deadline) {
  if (!passMutex_.tryLockFor(inFlightPatience))
    return std::nullopt;
  const MutexLock passing(passMutex_, std::adopt_lock);
  std::vector<ReplayInFlight> all;
  for (const auto &pair : pairs())
    if (auto replay = pair->replays().inFlight(deadline);
        replay && replay->progress != ReplayBuffer::Progress::Finished)
      all.push_back(std::move(*replay));
  std::ranges::sort(all, {}, &ReplayInFlight::launchNs);
  return all;
}

bool Harvester::flush(std::int64_t timeoutMs) noexcept {
  if (isPassing())
    return false;
  Deadline deadline(std::chrono::milliseconds(timeoutMs), flushInterval);
  if (!used_.load() && !spans_.used())
    return true; // nothing was ever launched or timed
  if (thread_.load() == Thread::Refused)
    thread_.store(Thread::None); // try again to start one
  wake();
  for (;;) {
    if (harvestsItself())
      (void)harvest();
    // Idle after a pass that began after the last wake(): all earlier launches have been handed on.
    if (idle())
      return true;
    if (deadline.isOver())
      return false;
    std::this_thread::sleep_for(flushInterval);
  }
}

void Harvester::finishOn(std::span<Device *const> devices, std::int64_t timeoutMs) {
  if (isPassing() || !used_.load() || devices.empty())
    return;
  std::vector<std::shared_ptr<Pair>> there = pairs();
  std::erase_if(there, [devices](const auto &pair) {
    return std::ranges::find(devices, pair->device()) == devices.end();
  });
  Deadline deadline(std::chrono::milliseconds(timeoutMs), flushInterval);
  const auto isOut = [&] {
    return eager_.outstanding() > 0 || std::ranges::any_of(there, [](const auto &pair) {
             return pair->replays().pending.recorded() > 0;
           });
  };
  wake();
  while (isOut() && !deadline.isOver()) {
    if (harvestsItself())
      (void)harvest();
    std::this_thread::sleep_for(flushInterval);
  }
  // A pass in progress may still make calls there.
  if (!passMutex_.tryLockFor(abandonPatience))
    return;
  const MutexLock passing(passMutex_, std::adopt_lock);
  for (const auto &pair : there)
    services_.counters.unfinished += pair->replays().abandon();
}

bool Harvester::handedOn(std::int64_t hostNs) {
  if (spans_.outBefore(hostNs)) {
    wake(); // nobody wakes the thread for a single span
    return false;
  }
  const std::vector<std::shared_ptr<Pair>> all = pairs();
  return !eager_.outBefore(hostNs) &&
         std::none_of(all.begin(), all.end(),
                      [hostNs](const auto &pair) { return pair->outBefore(hostNs); });
}

// A pass in progress ends soon, unless a callback of the program never returns. In that case, only
// counts what the pass may still hold, so that the program can exit.
void Harvester::abandon() {
  if (!passMutex_.tryLockFor(abandonPatience)) {
    for (const auto &pair : pairs())
      services_.counters.unfinished += pair->replays().pending.recorded();
    services_.counters.eager += eager_.outstanding();
    services_.counters.hostSpans += spans_.abandon();
    return;
  }
  const MutexLock passing(passMutex_, std::adopt_lock);
  for (const auto &pair : pairs())
    services_.counters.unfinished += pair->replays().abandon();
  eager_.harvest(order_, {}); // what waited for those
  services_.counters.eager += eager_.abandon();
  spans_.harvest(sink_); // spans that have ended wait for no device
}

std::vector<std::shared_ptr<Pair>> Harvester::pairs() {
  const MutexLock lock(mutex_);
  return pairs_;
}

} // namespace graphprof
