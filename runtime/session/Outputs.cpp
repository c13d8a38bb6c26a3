// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Outputs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "Thrown.h"
#include "output/Failure.h"
#include "output/InCallback.h"

namespace graphprof {

namespace {

bool wantsHostSpans(const Output::Interest &wants) { return wants.hostSpans; }
bool wantsMemory(const Output::Interest &wants) { return wants.memory; }
bool wantsSettled(const Output::Interest &wants) { return wants.settled; }
bool wantsAny(const Output::Interest & /*wants*/) { return true; }

} // namespace

void Outputs::sayFailed(const std::string &name, const std::string &why) noexcept {
  if (!survived([&] { messages_.say("output " + name + " failed and gets nothing more: " + why); }))
    messages_.say("an output failed and gets nothing more");
}

void Outputs::fail(Entry &entry, const std::string &why) noexcept {
  entry.failed = true;
  sayFailed(entry.output->name(), why);
}

void Outputs::consume(const Replay &replay) noexcept {
  anyReplay_.store(true, std::memory_order_relaxed);
  consumeAny(replay);
}
void Outputs::consume(std::span<const HostSpan> spans) noexcept { consumeAny(spans); }
void Outputs::consume(std::span<const KernelRun> runs) noexcept {
  anyReplay_.store(true, std::memory_order_relaxed);
  consumeAny(runs);
}

void Outputs::consume(const GraphMemoryStep &step) noexcept { consumeAny(step); }

template <class Given> void Outputs::consumeAny(const Given &given) noexcept {
  if (inCallback()) { // it would get what it measures itself, and so on
    lose(given);
    return;
  }
  bool open = false;
  const bool handed = survived([&] {
    const MutexLock lock(mutex_);
    open = !closed_;
    if (!open)
      return;
    handMemory();
    batcher_.clear(batch_); // also clears what an exception left behind
    take(given);
  });
  if (!handed || !open)
    lose(given);
}

void Outputs::settled(std::int64_t step) noexcept {
  (void)survived([&] { // if not, the next time says more
    const MutexLock lock(mutex_);
    if (closed_)
      return;
    batcher_.clear(batch_);
    batch_.settledBefore = step;
    hand(0, wantsSettled);
  });
}

void Outputs::consume(const MemoryEvent &event, std::string path) noexcept {
  try {
    {
      const MutexLock lock(memoryMutex_);
      if (memory_.size() >= maxRecords_) {
        loseMemory();
        return;
      }
      memory_.push_back({event, std::move(path)});
    }
    memoryWaits_.store(true);
    if (!mutex_.tryLock())
      return;
    const MutexLock lock(mutex_, std::adopt_lock);
    if (closed_) {
      loseMemory();
      return;
    }
    handMemory();
  } catch (...) {
    loseMemory();
  }
}

void Outputs::handMemoryOn() noexcept {
  if (!memoryWaits_.load())
    return;
  if (!survived([&] {
        const MutexLock lock(mutex_);
        handMemory();
      }))
    loseMemory();
}

void Outputs::take(const Replay &replay) {
  batcher_.add(replay, batch_);
  hand(replay.records.size(), wantsAny);
}

void Outputs::take(std::span<const HostSpan> spans) {
  if (std::any_of(outputs_.begin(), outputs_.end(),
                  [](const Entry &entry) { return entry.wants.hostSpans; }))
    for (const HostSpan &span : spans)
      batcher_.add(span, batch_);
  hand(spans.size(), wantsHostSpans);
}

void Outputs::take(std::span<const KernelRun> runs) {
  batch_.kernelRuns.assign(runs.begin(), runs.end());
  hand(runs.size(), wantsAny);
}

void Outputs::take(const GraphMemoryStep &step) {
  batch_.graphMemory.push_back(step);
  hand(1, wantsAny);
}

// Hands the current batch, which counts as `size` records, to the outputs that want it.
template <class Wanted> void Outputs::hand(std::size_t size, Wanted wanted) {
  const Batch *const batch = &batch_;
  for (Entry &entry : outputs_) {
    if (!wanted(entry.wants))
      continue;
    if (entry.failed) {
      leftOut(size);
      continue;
    }
    const std::string failure = failureOf([&entry, batch] { return entry.output->write(*batch); });
    countDropped(entry);
    if (!failure.empty())
      fail(entry, failure);
  }
}

// Hands on what was taken before the call.
void Outputs::handMemory() {
  if (!memoryWaits_.exchange(false))
    return;
  std::vector<WaitingMemory> taken;
  {
    const MutexLock lock(memoryMutex_);
    taken.swap(memory_);
  }
  for (WaitingMemory &waiting : taken) {
    waiting.event.path = waiting.path;
    batcher_.clear(batch_);
    Batcher::add(waiting.event, batch_);
    hand(1, wantsMemory);
  }
}

void Outputs::countDropped(Entry &entry) noexcept {
  const std::uint64_t dropped = entry.output->dropped();
  leftOut(dropped - std::exchange(entry.dropped, dropped));
}

void Outputs::leftOut(std::uint64_t count) noexcept {
  counters_.dropped += count;
  leftOut_ += count;
}

// The parts are read first: they are never more than the whole.
Losses Outputs::lossesBefore(const Output::Interest &wants) const noexcept {
  const std::uint64_t spans = lostSpans_, memory = lostMemory_, parts = leftOut_ + spans + memory;
  Losses losses = counters_.losses();
  losses.dropped -= parts;
  losses.dropped += (wants.hostSpans ? spans : 0) + (wants.memory ? memory : 0);
  return losses;
}

// In the order in which they were attached, whatever is attached and detached meanwhile. Takes no
// memory.
std::shared_ptr<Output> Outputs::nextAfter(std::uint64_t &number) {
  const MutexLock lock(mutex_);
  const auto next = std::find_if(outputs_.begin(), outputs_.end(), [number](const Entry &entry) {
    return entry.number > number && !entry.failed;
  });
  if (next == outputs_.end())
    return nullptr;
  number = next->number;
  return next->output;
}

// Waits without the mutex: a callback that is waited for may attach and detach outputs.
bool Outputs::flush(std::int64_t timeoutMs) noexcept {
  using Milliseconds = std::chrono::milliseconds;
  const auto deadline = std::chrono::steady_clock::now() + Milliseconds(timeoutMs);
  if (inCallback()) // it would wait for itself
    return false;
  {
    const MutexLock lock(mutex_);
    if (closed_)
      return true;
  }
  handMemoryOn();
  bool all = true;
  std::uint64_t number = 0;
  while (const std::shared_ptr<Output> output = nextAfter(number)) {
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    const std::int64_t most = std::max<std::int64_t>(left.count(), 0);
    bool inTime = false;
    all = survived([&] { inTime = output->flush(most); }) && inTime && all;
  }
  return all;
}

Output *Outputs::attach(std::unique_ptr<Output> output) noexcept {
  if (!output)
    return nullptr;
  Output *attached = nullptr;
  (void)survived([&] {
    Entry entry;
    entry.wants = output->wants();
    entry.output = std::move(output);
    const MutexLock lock(mutex_);
    entry.number = ++attached_;
    const bool wantsSpans = entry.wants.warpSpans;
    outputs_.push_back(std::move(entry));
    attached = outputs_.back().output.get();
    warpSpans_ += wantsSpans ? 1 : 0;
    recording_.listened(true);
  });
  return attached;
}

void Outputs::attachDefaultTable(std::unique_ptr<Output> table) noexcept {
  Output *const attached = attach(std::move(table));
  const MutexLock lock(mutex_);
  defaultTable_ = attached;
}

void Outputs::detach(Output *output) noexcept {
  std::shared_ptr<Output> gone;
  {
    const MutexLock lock(mutex_);
    const auto entry = std::find_if(outputs_.begin(), outputs_.end(), [output](const Entry &each) {
      return each.output.get() == output;
    });
    if (entry == outputs_.end())
      return;
    recording_.listened(false);
    gone = std::move(entry->output);
    warpSpans_ -= entry->wants.warpSpans ? 1 : 0;
    outputs_.erase(entry);
  }
  gone->stop(); // may wait for a callback
}

void Outputs::withoutDefaultTable() noexcept {
  Output *table = nullptr;
  {
    const MutexLock lock(mutex_);
    table = std::exchange(defaultTable_, nullptr);
  }
  if (table)
    detach(table);
}

// Not under the mutex either. Nothing is written any more, and outputs that are detached meanwhile
// stay until they are closed.
void Outputs::close(const std::function<Batch()> &last,
                    const std::function<void(const Output &)> &closed) noexcept {
  {
    const MutexLock lock(mutex_);
    if (closed_)
      return;
    if (!survived([&] {
          mutex_.assertHeld();
          handMemory();
        }))
      loseMemory();
    closed_ = true;
  }
  std::uint64_t number = 0;
  while (const std::shared_ptr<Output> output = nextAfter(number)) {
    const std::string failure = failureOf([&] {
      std::string failed = output->write(last());
      if (failed.empty())
        failed = output->close(lossesBefore(output->wants()));
      if (failed.empty() && closed)
        closed(*output);
      return failed;
    });
    const MutexLock lock(mutex_);
    const auto entry = std::find_if(outputs_.begin(), outputs_.end(),
                                    [&](const Entry &each) { return each.output == output; });
    if (entry != outputs_.end())
      countDropped(*entry);
    if (!failure.empty())
      sayFailed(output->name(), failure);
  }
}

} // namespace graphprof
