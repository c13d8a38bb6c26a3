// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Outputs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "output/Failure.h"

namespace graphprof {

namespace {

constexpr auto closePatience = std::chrono::seconds(1);

bool wantsHostSpans(const Output::Interest &wants) { return wants.hostSpans; }
bool wantsMemory(const Output::Interest &wants) { return wants.memory; }
bool wantsSettled(const Output::Interest &wants) { return wants.settled; }
bool wantsAny(const Output::Interest & /*wants*/) { return true; }

} // namespace

// Marks that this thread calls outputs, so that what they call does not wait for this thread.
class Outputs::Turn {
public:
  explicit Turn(Outputs &outputs) : owner_(outputs) {
    owner_.turn_.store(std::this_thread::get_id());
  }
  ~Turn() { owner_.turn_.store(std::thread::id()); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  Outputs &owner_;
};

bool Outputs::inTurn() const noexcept { return turn_.load() == std::this_thread::get_id(); }

void Outputs::fail(Entry &entry, const std::string &why) noexcept {
  entry.failed = true;
  try {
    messages_.say("output " + entry.output->name() + " failed and gets nothing more: " + why);
  } catch (...) {
    messages_.say("an output failed and gets nothing more");
  }
}

void Outputs::consume(const Replay &replay) noexcept {
  anyReplay_.store(true, std::memory_order_relaxed);
  consumeAny(replay);
}
void Outputs::consume(std::span<const HostSpan> spans) noexcept { consumeAny(spans); }

template <class Given> void Outputs::consumeAny(const Given &given) noexcept {
  if (inTurn()) {
    lose(given);
    return;
  }
  std::vector<Entry> gone; // destroyed after the unlock: an output's destructor may be foreign code
  try {
    const MutexLock lock(mutex_);
    if (closed_) {
      lose(given);
      return;
    }
    handMemory();
    batcher_.clear(batch_); // also clears what an exception left behind
    take(given);
    removeGone(gone);
  } catch (...) {
    lose(given);
  }
}

void Outputs::settled(std::int64_t step) noexcept {
  if (inTurn())
    return; // the next time says more
  std::vector<Entry> gone;
  try {
    const MutexLock lock(mutex_);
    if (closed_)
      return;
    batcher_.clear(batch_);
    batch_.settledBefore = step;
    hand(0, wantsSettled);
    removeGone(gone);
  } catch (...) { // no memory: the next time says more
    return;
  }
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
    std::vector<Entry> gone;
    if (inTurn())
      return;
    if (!mutex_.tryLock()) // the thread that holds it may be waiting for this thread
      return;
    const MutexLock lock(mutex_, std::adopt_lock);
    if (closed_) {
      loseMemory();
      return;
    }
    handMemory();
    removeGone(gone);
  } catch (...) {
    loseMemory();
  }
}

void Outputs::handMemoryOn() noexcept {
  if (!memoryWaits_.load() || inTurn())
    return;
  std::vector<Entry> gone;
  try {
    if (!mutex_.tryLockFor(closePatience)) // a callback may be waiting for the caller's thread
      return;
    const MutexLock lock(mutex_, std::adopt_lock);
    handMemory();
    removeGone(gone);
  } catch (...) {
    loseMemory();
  }
}

void Outputs::removeGone(std::vector<Entry> &gone) {
  for (auto entry = outputs_.begin(); entry != outputs_.end();) {
    if (entry->gone) {
      gone.push_back(std::move(*entry));
      entry = outputs_.erase(entry);
    } else {
      ++entry;
    }
  }
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

// Hands the current batch, which counts as `size` records, to the outputs that want it. Outputs may
// attach and detach outputs while they are called: entries may move, but none is removed.
template <class Wanted> void Outputs::hand(std::size_t size, Wanted wanted) {
  const Turn turn(*this);
  const Batch *const batch = &batch_;
  const std::size_t count = outputs_.size(); // one that is attached now gets the next batch
  for (std::size_t i = 0; i < count && !closed_; ++i) {
    if (outputs_[i].gone || !wanted(outputs_[i].wants))
      continue;
    if (outputs_[i].failed) {
      leftOut(size);
      continue;
    }
    Output &output = *outputs_[i].output;
    const std::string failure = failureOf([&output, batch] { return output.write(*batch); });
    Entry &entry = outputs_[i];
    countDropped(entry);
    if (!failure.empty())
      fail(entry, failure);
  }
}

// Hands on what was taken before the call. What outputs allocate during the call waits for the
// next.
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

bool Outputs::flush(std::int64_t timeoutMs) noexcept {
  using Milliseconds = std::chrono::milliseconds;
  const auto deadline = std::chrono::steady_clock::now() + Milliseconds(timeoutMs);
  const auto left = [deadline] {
    return std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
  };
  if (inTurn())
    return false;
  if (!mutex_.tryLockFor(left()))
    return false;
  const MutexLock lock(mutex_, std::adopt_lock);
  if (closed_)
    return true;
  try {
    handMemory();
  } catch (...) {
    loseMemory();
  }
  const Turn turn(*this);
  bool all = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output &output = *outputs_[i].output;
    if (outputs_[i].failed || outputs_[i].gone)
      continue;
    const std::string late = failureOf([&] {
      const std::int64_t most = std::max<std::int64_t>(left().count(), 0);
      return output.flush(most) ? std::string() : std::string("late");
    });
    all = all && late.empty();
  }
  return all;
}

Output *Outputs::attach(std::unique_ptr<Output> output) noexcept {
  if (!output)
    return nullptr;
  try {
    if (inTurn()) {
      mutex_.assertHeld();
      return add(std::move(output));
    }
    const MutexLock lock(mutex_);
    return add(std::move(output));
  } catch (...) {
    return nullptr;
  }
}

void Outputs::attachDefaultTable(std::unique_ptr<Output> table) noexcept {
  Output *const attached = attach(std::move(table));
  const MutexLock lock(mutex_);
  defaultTable_ = attached;
}

Output *Outputs::add(std::unique_ptr<Output> output) {
  Entry entry;
  entry.wants = output->wants();
  entry.output = std::move(output);
  outputs_.push_back(std::move(entry));
  recording_.listened(true);
  return outputs_.back().output.get();
}

void Outputs::detach(Output *output) noexcept {
  const auto isIt = [output](const Entry &entry) { return entry.output.get() == output; };
  if (inTurn()) {
    mutex_.assertHeld();
    for (Entry &entry : outputs_)
      if (isIt(entry) && !std::exchange(entry.gone, true)) {
        recording_.listened(false);
        output->stop();
      }
    return;
  }
  std::unique_ptr<Output> gone; // destroyed after the unlock
  const MutexLock lock(mutex_);
  const auto entry = std::find_if(outputs_.begin(), outputs_.end(), isIt);
  if (entry == outputs_.end())
    return;
  if (!entry->gone)
    recording_.listened(false);
  gone = std::move(entry->output);
  outputs_.erase(entry);
}

void Outputs::withoutDefaultTable() noexcept {
  Output *table = nullptr;
  if (inTurn()) {
    mutex_.assertHeld();
    table = std::exchange(defaultTable_, nullptr);
  } else {
    const MutexLock lock(mutex_);
    table = std::exchange(defaultTable_, nullptr);
  }
  if (table)
    detach(table);
}

void Outputs::close(const std::function<Batch()> &last,
                    const std::function<void(const Output &)> &closed) noexcept {
  if (inTurn()) { // the program exits from a callback
    mutex_.assertHeld();
    return closeAll(last, closed);
  }
  if (!mutex_.tryLockFor(closePatience))
    return messages_.say(
        "the outputs are not closed: a callback does not return; let it return before the program "
        "ends");
  const MutexLock lock(mutex_, std::adopt_lock);
  closeAll(last, closed);
}

void Outputs::closeAll(const std::function<Batch()> &last,
                       const std::function<void(const Output &)> &closed) noexcept {
  if (closed_)
    return;
  const bool nested = inTurn();
  try {
    if (!nested)
      handMemory();
  } catch (...) {
    loseMemory();
  }
  closed_ = true;
  if (!nested)
    turn_.store(std::this_thread::get_id());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].failed || outputs_[i].gone)
      continue;
    Output &output = *outputs_[i].output;
    const Output::Interest wants = outputs_[i].wants;
    const std::string failure = failureOf([&] {
      std::string failed = output.write(last());
      if (failed.empty())
        failed = output.close(lossesBefore(wants));
      if (failed.empty() && closed)
        closed(output);
      return failed;
    });
    countDropped(outputs_[i]);
    if (!failure.empty())
      fail(outputs_[i], failure);
  }
  if (!nested)
    turn_.store(std::thread::id());
}

} // namespace graphprof
