// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Alignment.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <utility>

#include "Deadline.h"
#include "clock/Device.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::chrono::nanoseconds alignTimeout{2'000'000};
constexpr unsigned readings = 16;
constexpr int ties = 4; // the first one loads code
// With this many differences, a common divisor larger than the timer's step is very unlikely. With
// fewer, on a busy device, only the power of two in the divisor counts; with even fewer the step
// stays unknown.
constexpr std::size_t enoughDifferences = 8, fewestDifferences = 4;

// A look that comes this much later than it was due.
constexpr std::int64_t pauseNs = 50'000'000;

// Of a look. The first answer also waited for the launch: its bounds are some microseconds apart.
constexpr unsigned looks = 3;

// The words that the timer kernel and the host share: first the questions, then the answers.
constexpr std::size_t sharedWords(unsigned count) { return std::size_t{2} * count; }

std::uint64_t answerIn(const std::uint64_t &answer) {
  return std::atomic_ref<const std::uint64_t>(answer).load(std::memory_order_acquire);
}

// Waits for a word that the device writes. Makes no CUDA call.
bool waitFor(const std::uint64_t *word, Deadline &deadline) {
  while (answerIn(*word) == 0)
    if (deadline.isOver())
      return false;
  return true;
}

void ask(std::uint64_t &question) {
  std::atomic_ref<std::uint64_t>(question).store(1, std::memory_order_release);
}

// Waits for another time before each question, by a few hundred ns. Otherwise a quiet machine asks
// at a regular pace, and a multiple of the timer's step looks like the step (128 for 32 ns, in one
// of 120 processes on an H200).
void waitIrregularly(unsigned question) {
  constexpr std::uint32_t multiplier = 2'654'435'761; // Knuth's: neighbours differ in the high bits
  Deadline deadline(std::chrono::nanoseconds(question * multiplier >> 23));
  while (!deadline.isOver())
    ;
}

// The parameters of graphprof_align.
struct TimerParameters {
  driver::DevicePointer asked, answers;
  unsigned count;
  unsigned long long patience;
  void *list[4] = {&asked, &answers, &count, &patience};

  TimerParameters(const Pinned &memory, unsigned count, std::int64_t patienceNs)
      : asked(memory.device), answers(memory.device + count * sizeof(std::uint64_t)), count(count),
        patience(static_cast<unsigned long long>(patienceNs)) {}
};

} // namespace

std::int64_t timerStepOf(std::span<const std::uint64_t> seen) {
  if (seen.size() <= fewestDifferences)
    return 0;
  std::int64_t stepNs = 0; // divides every difference
  for (std::size_t i = 1; i < seen.size(); ++i)
    stepNs = std::gcd(stepNs, static_cast<std::int64_t>(seen[i] - seen[i - 1]));
  return seen.size() > enoughDifferences ? stepNs : stepNs & -stepNs;
}

void Alignment::align(driver::Kernel timer) {
  const MutexLock lock(mutex_);
  if (aligned_)
    return;
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return;
  aligned_ = true;
  if (!ok(cu().streamCreateWithPriority(&stream_, driver::streamNonBlocking, 0))) {
    stream_ = nullptr;
    return;
  }
  if (timer)
    alignStamps(timer);
  if (!look_ || !tie())
    anchor();
}

// Asks for the device's time a few times. The shortest round trip gives the best offset. One kernel
// answers all questions: a second launch outside graphs in graphprof's stream would add up to 0.18
// us to every kernel of every graph of the process, for its whole life (H200, driver 580).
void Alignment::alignStamps(driver::Kernel timer) {
  // Never given back: the kernel may still read it later.
  const Pinned memory = device_.pinned().take(sharedWords(readings));
  driver::Function function = nullptr;
  if (!memory.host || !ok(cu().kernelGetFunction(&function, timer)))
    return;
  std::uint64_t *const words = memory.host;
  std::fill_n(words, sharedWords(readings), 0);
  TimerParameters parameters(memory, readings, alignTimeout.count());
  if (!ok(cu().launchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream_, parameters.list, nullptr)))
    return;

  Deadline deadline(alignTimeout);
  std::int64_t shortestNs = INT64_MAX;
  unsigned answered = 0;
  for (; answered < readings; ++answered) {
    waitIrregularly(answered);
    const std::int64_t beforeNs = hostNowNs();
    ask(words[answered]);
    const std::uint64_t *const answer = &words[readings + answered];
    if (!waitFor(answer, deadline))
      break; // busy device: use what was measured so far
    const std::int64_t afterNs = hostNowNs();
    if (afterNs - beforeNs < shortestNs) {
      shortestNs = afterNs - beforeNs;
      const std::int64_t middleNs = beforeNs + (afterNs - beforeNs) / 2;
      stampOffsetNs_ = middleNs - static_cast<std::int64_t>(*answer);
    }
  }
  timerStepNs_ = timerStepOf({&words[readings], answered});
  if (shortestNs == INT64_MAX || !makeLook(function))
    return;
  stampDrift_.aligned(hostNowNs());
  stampLook_ = hostNowNs() + firstLookNs;
}

bool Alignment::makeLook(driver::Function timer) {
  const Pinned memory = device_.pinned().take(sharedWords(looks));
  if (!memory.host)
    return false;
  TimerParameters parameters(memory, looks, patienceNs);
  driver::KernelNodeParams params{};
  params.function = timer;
  params.gridX = params.gridY = params.gridZ = 1;
  params.blockX = params.blockY = params.blockZ = 1;
  params.parameters = parameters.list;
  driver::Graph graph = nullptr;
  if (!ok(cu().graphCreate(&graph, 0)))
    return false;
  driver::Node node = nullptr;
  const bool made = ok(cu().graphAddKernelNode(&node, graph, nullptr, 0, &params)) &&
                    ok(cu().graphInstantiate(&look_, graph, 0));
  cu().graphDestroy(graph);
  if (!made)
    look_ = nullptr;
  questions_ = {memory.host, looks};
  answers_ = {memory.host + looks, looks};
  return made;
}

// The kernel answers the first `asked` questions at once, and the others when they are asked.
void Alignment::prepareLook(unsigned asked) {
  for (unsigned i = 0; i < looks; ++i) {
    std::atomic_ref(questions_[i]).store(i < asked ? 1 : 0, std::memory_order_release);
    std::atomic_ref(answers_[i]).store(0, std::memory_order_release);
  }
}

// Places an event on the stamps' axis. The closest pair of events around a stamp counts.
bool Alignment::tie() {
  std::int64_t shortestNs = INT64_MAX;
  for (int i = 0; i < ties; ++i)
    if (!tieOnce(shortestNs))
      break; // busy device: use what was measured so far
  if (shortestNs == INT64_MAX)
    return false;
  tied_ = true;
  eventLook_ = hostNowNs() + firstLookNs;
  return true;
}

bool Alignment::tieOnce(std::int64_t &shortestNs) {
  const driver::Event before = device_.events().take(), after = device_.events().take();
  prepareLook(looks);
  Deadline deadline(alignTimeout);
  if (!before || !after || !ok(cu().eventRecord(before, stream_)) ||
      !ok(cu().graphLaunch(look_, stream_)) || !ok(cu().eventRecord(after, stream_)))
    return false;
  while (!ok(cu().eventQuery(after)))
    if (deadline.isOver())
      return false;
  float ms = 0;
  const std::uint64_t stampNs = answerIn(answers_[looks / 2]); // the middle one
  if (stampNs == 0 || !ok(cu().eventElapsedTime(&ms, before, after)))
    return false;
  device_.events().giveBack(after);
  const auto aroundNs = static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
  if (aroundNs >= shortestNs) {
    device_.events().giveBack(before);
    return true;
  }
  shortestNs = aroundNs;
  anchorAt(before, static_cast<std::int64_t>(stampNs) + stampOffsetNs_ - aroundNs / 2);
  return true;
}

// Places an event on the host's axis: it is recorded on an idle stream and seen at once.
void Alignment::anchor() {
  const driver::Event event = device_.events().take();
  const std::int64_t beforeNs = hostNowNs();
  if (!event || !ok(cu().eventRecord(event, stream_)))
    return;
  Deadline deadline(alignTimeout);
  while (!ok(cu().eventQuery(event)))
    if (deadline.isOver())
      return;
  const std::int64_t afterNs = hostNowNs();
  anchorAt(event, beforeNs + (afterNs - beforeNs) / 2);
  eventDrift_.aligned(afterNs);
  eventLook_ = afterNs + firstLookNs;
}

void Alignment::look(Clock clock, std::int64_t nowNs) noexcept {
  if (!mutex_.tryLock())
    return; // another thread is looking
  const MutexLock lock(mutex_, std::adopt_lock);
  std::atomic<std::int64_t> &next = clock == Clock::Stamp ? stampLook_ : eventLook_;
  if (nowNs < next)
    return; // another thread has just looked
  const bool afterPause = nowNs > next + pauseNs;
  next = nowNs + std::exchange(lookAfterNs_, std::min(2 * lookAfterNs_, lookIntervalNs));
  const driver::CurrentContext current(device_.context());
  const driver::RelaxedCapture relaxed;
  if (!current.valid() || !relaxed)
    return;
  try {
    if (clock == Clock::Stamp || tied_)
      lookAtTimer(afterPause);
    if (clock == Clock::Event)
      lookAtEvent(afterPause);
  } catch (...) { // no memory to give an event back
    next = INT64_MAX;
  }
}

// The device's time lies between a question and the moment in which its answer is seen; of several
// the closest bounds count. A late answer, from a busy device, still proves that it was not before
// the question.
void Alignment::lookAtTimer(bool afterPause) {
  const auto deviceNs = [&](unsigned i) REQUIRES(mutex_) {
    return static_cast<std::int64_t>(answerIn(answers_[i])) + stampOffsetNs_;
  };
  if (asked_ && answerIn(answers_[0]) == 0)
    return;
  if (std::exchange(asked_, false))
    stampDrift_.looked(deviceNs(0), askedNs_, Drift::whenever, afterPause);
  prepareLook(1);
  askedNs_ = hostNowNs();
  if (!ok(cu().graphLaunch(look_, stream_))) {
    stampLook_ = INT64_MAX;
    return;
  }
  asked_ = true;
  Deadline deadline{std::chrono::nanoseconds(patienceNs)};
  std::int64_t beforeNs = askedNs_, closestNs = INT64_MAX, notBeforeNs = 0;
  unsigned best = 0;
  for (unsigned i = 0; waitFor(&answers_[i], deadline);) {
    asked_ = false;
    const std::int64_t tookNs = hostNowNs() - beforeNs;
    if (tookNs < closestNs) {
      closestNs = tookNs;
      notBeforeNs = beforeNs;
      best = i;
    }
    ++i;
    if (i == looks || answerIn(answers_[i]) != 0) // not asked for: a simulated kernel
      break;
    beforeNs = hostNowNs();
    ask(questions_[i]);
  }
  if (!asked_)
    stampDrift_.looked(deviceNs(best), notBeforeNs, notBeforeNs + closestNs, afterPause);
}

void Alignment::lookAtEvent(bool afterPause) {
  const auto looked = [&](std::int64_t notAfterNs) REQUIRES(mutex_) {
    const driver::Event event = std::exchange(lookEvent_, nullptr);
    std::int64_t ns = 0;
    if (!sinceAnchor(event, ns))
      return device_.events().giveBack(event);
    if (!tied_) // the timer is looked at, too, and tells more
      eventDrift_.looked(ns, recordedNs_, notAfterNs, afterPause);
    anchorAt(event, ns);
  };
  if (lookEvent_) {
    if (!ok(cu().eventQuery(lookEvent_)))
      return;
    looked(Drift::whenever);
  }
  const driver::Event event = device_.events().take();
  recordedNs_ = hostNowNs();
  if (!event || !ok(cu().eventRecord(event, stream_))) {
    if (event)
      device_.events().giveBack(event);
    eventLook_ = INT64_MAX;
    return;
  }
  lookEvent_ = event;
  for (Deadline deadline{std::chrono::nanoseconds(patienceNs)}; !deadline.isOver();)
    if (ok(cu().eventQuery(event)))
      return looked(hostNowNs());
}

bool Alignment::sinceAnchor(driver::Event event, std::int64_t &ns) const {
  float ms = 0;
  if (!anchor_ || !ok(cu().eventElapsedTime(&ms, anchor_, event)))
    return false;
  ns = anchorNs_ + static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
  return true;
}

void Alignment::anchorAt(driver::Event event, std::int64_t ns) {
  if (anchor_)
    device_.events().giveBack(anchor_);
  anchor_ = event;
  anchorNs_ = ns;
}

bool Alignment::eventToHost(driver::Event event, std::int64_t &ns) {
  const MutexLock lock(mutex_);
  if (!sinceAnchor(event, ns))
    return false;
  ns += eventDrift().correction().at(ns);
  return true;
}

} // namespace graphprof
