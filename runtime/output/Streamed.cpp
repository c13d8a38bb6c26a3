// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Streamed.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>

#include "Mutex.h"
#include "OwnThread.h"
#include "Thrown.h"
#include "output/Failure.h"
#include "output/data/Batch.h"

namespace graphprof {

namespace {

constexpr std::size_t largeBatch = 16'384; // records; so many are written at once

// Adds the `things` that are new to the writer to `into`. `next` is the writer's next id, `from`
// the least id that waits. `used`: something that waits refers to one. Returns false and adds
// nothing if earlier ones are missing: the data that brought them was left out, and they have been
// forgotten since.
template <class Thing>
bool addNew(const std::vector<Thing> &things, std::uint64_t thingsFrom, bool used,
            std::vector<Thing> &into, std::uint64_t &from, std::uint64_t &next) {
  const std::span<const Thing> added = newOf(things, next);
  if (used && !added.empty() && added.front().id != next)
    return false;
  if (!used)
    from = thingsFrom;
  into.insert(into.end(), added.begin(), added.end());
  if (!added.empty())
    next = added.back().id + 1;
  return true;
}

} // namespace

// The data that waits for the thread, and the thread. The session calls everything but run(), from
// one thread at a time. The writer belongs to the thread while that runs, and to the caller
// afterwards.
class Streamed::Queue : public std::enable_shared_from_this<Queue> {
public:
  Queue(std::unique_ptr<BatchWriter> writer, std::size_t maxRecords, Manner manner)
      : writer_(std::move(writer)), maxRecords_(maxRecords), manner_(manner) {}

  std::string write(const Batch &batch);
  [[nodiscard]] std::uint64_t dropped() const;
  bool flush(std::chrono::milliseconds timeout);
  // Ends the thread when nothing waits any more. Returns false if it makes no progress, or is the
  // calling thread; it is abandoned then.
  bool end();
  std::string close(const Losses &losses);
  // After a close() that did not fail: the thread has ended.
  [[nodiscard]] std::string written() const { return writer_->written(); }

private:
  std::string take(const Batch &batch);
  // Add what there is room for to what waits, and count the rest.
  void takeLaunches(const Batch &batch) REQUIRES(mutex_);
  void takeSpans(const Batch &batch) REQUIRES(mutex_);
  void takeKernelRuns(const Batch &batch) REQUIRES(mutex_);
  void takeGraphMemory(const Batch &batch) REQUIRES(mutex_);
  void takeMemory(const Batch &batch) REQUIRES(mutex_);
  [[nodiscard]] std::size_t weight() const REQUIRES(mutex_); // of what waits, and one more
  void start() REQUIRES(mutex_);
  void run();
  void writeOut() REQUIRES(mutex_); // unlocked while it writes
  [[nodiscard]] bool urgent() const REQUIRES(mutex_);

  const std::unique_ptr<BatchWriter> writer_;
  const std::size_t maxRecords_;
  const Manner manner_;

  mutable Mutex mutex_;
  Condition changed_; // something waits, or was requested
  Condition written_; // something was written, or the thread has ended
  Batch waits_ GUARDED_BY(mutex_);
  // The next ids that are new to the writer and to what waits.
  std::uint64_t nextRegion_ GUARDED_BY(mutex_) = 1, nextGraph_ GUARDED_BY(mutex_) = 1,
                            nextAct_ GUARDED_BY(mutex_) = 1, nextThread_ GUARDED_BY(mutex_) = 1;
  std::string failed_ GUARDED_BY(mutex_);              // the reason, after a failure
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0;       // here
  std::uint64_t writerDropped_ GUARDED_BY(mutex_) = 0; // by the writer, when it last wrote
  std::uint64_t batches_ GUARDED_BY(mutex_) = 0;       // written or lost
  bool writing_ GUARDED_BY(mutex_) = false;            // taken_ is being written
  bool hurry_ GUARDED_BY(mutex_) = false;              // a caller waits for written_
  bool closing_ GUARDED_BY(mutex_) = false;            // the thread ends when nothing waits
  bool running_ GUARDED_BY(mutex_) = false;            // the thread exists
  std::thread::id thread_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;

  Batch taken_; // owned by the writing thread, unlocked; exchanged under mutex_
};

// Without memory for it, a batch is left out. What it has added of regions until then stays: they
// come once.
std::string Streamed::Queue::write(const Batch &batch) {
  std::string failure;
  if (!survived([&] { failure = take(batch); })) {
    const MutexLock lock(mutex_);
    dropped_ += batch.records();
  }
  return failure;
}

// Notes from before the first replay are written with it.
std::string Streamed::Queue::take(const Batch &batch) {
  const MutexLock lock(mutex_);
  const bool wasUrgent = urgent(), wasEmpty = waits_.empty();
  waits_.notes.insert(waits_.notes.end(), batch.notes.begin(), batch.notes.end());
  waits_.remarks.insert(waits_.remarks.end(), batch.remarks.begin(), batch.remarks.end());
  if (batch.launches.empty() && batch.records() == 0 && batch.settledBefore == 0)
    return {}; // written with the next data, or at the end
  if (!failed_.empty()) {
    dropped_ += batch.records();
    return failed_;
  }
  waits_.settledBefore = std::max(waits_.settledBefore, batch.settledBefore);
  takeLaunches(batch);
  takeKernelRuns(batch);
  takeGraphMemory(batch);
  if (!batch.spans.empty())
    takeSpans(batch);
  if (!batch.memory.empty())
    takeMemory(batch);
  if (!running_ && !waits_.empty())
    start();
  if (!running_ && !waits_.empty() && !manner_.onlyAtFlush) // it is written here
    writeOut();
  if (wasUrgent != urgent() || wasEmpty != waits_.empty())
    changed_.notifyOne();
  return {};
}

std::size_t Streamed::Queue::weight() const {
  return waits_.records() + waits_.launches.size() + 1;
}

void Streamed::Queue::takeLaunches(const Batch &batch) {
  for (const Batch::Launch &launch : batch.launches) {
    if (weight() + launch.count > maxRecords_ ||
        !addNew(batch.regions, batch.regionsFrom, !waits_.launches.empty(), waits_.regions,
                waits_.regionsFrom, nextRegion_)) {
      dropped_ += launch.count;
      continue;
    }
    // Without one that was forgotten meanwhile, replays are told all the same.
    (void)addNew(batch.graphs, batch.graphsFrom, false, waits_.graphs, waits_.graphsFrom,
                 nextGraph_);
    const std::span<const Batch::Timing> timings = batch.timingsOf(launch);
    const std::size_t first = waits_.timings.size();
    waits_.timings.insert(waits_.timings.end(), timings.begin(), timings.end());
    waits_.launches.push_back(launch); // last, so that a failed allocation leaves nothing half done
    waits_.launches.back().first = first;
  }
}

void Streamed::Queue::takeKernelRuns(const Batch &batch) {
  const std::size_t count =
      std::min(batch.kernelRuns.size(), maxRecords_ - std::min(weight(), maxRecords_));
  waits_.kernelRuns.insert(waits_.kernelRuns.end(), batch.kernelRuns.begin(),
                           batch.kernelRuns.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = waits_.kernelRuns.size() - count; i < waits_.kernelRuns.size(); ++i)
    waits_.kernelRuns[i].spans = nullptr; // large, and for outputs that are written at the end
  dropped_ += batch.kernelRuns.size() - count;
}

void Streamed::Queue::takeGraphMemory(const Batch &batch) {
  const std::size_t count =
      std::min(batch.graphMemory.size(), maxRecords_ - std::min(weight(), maxRecords_));
  waits_.graphMemory.insert(waits_.graphMemory.end(), batch.graphMemory.begin(),
                            batch.graphMemory.begin() + static_cast<std::ptrdiff_t>(count));
  dropped_ += batch.graphMemory.size() - count;
}

void Streamed::Queue::takeSpans(const Batch &batch) {
  const std::size_t count =
      std::min(batch.spans.size(), maxRecords_ - std::min(weight(), maxRecords_));
  if (count > 0) {
    const bool used = !waits_.spans.empty();
    if (addNew(batch.acts, batch.actsFrom, used, waits_.acts, waits_.actsFrom, nextAct_) &&
        addNew(batch.threads, batch.threadsFrom, used, waits_.threads, waits_.threadsFrom,
               nextThread_))
      waits_.spans.insert(waits_.spans.end(), batch.spans.begin(),
                          batch.spans.begin() + static_cast<std::ptrdiff_t>(count));
    else
      dropped_ += count;
  }
  dropped_ += batch.spans.size() - count;
}

void Streamed::Queue::takeMemory(const Batch &batch) {
  const std::size_t count =
      std::min(batch.memory.size(), maxRecords_ - std::min(weight(), maxRecords_));
  waits_.memory.insert(waits_.memory.end(), batch.memory.begin(),
                       batch.memory.begin() + static_cast<std::ptrdiff_t>(count));
  dropped_ += batch.memory.size() - count;
}

void Streamed::Queue::start() {
  running_ = survived([this] { startOwnThread([self = shared_from_this()] { self->run(); }); });
}

bool Streamed::Queue::urgent() const {
  return closing_ || hurry_ || waits_.records() >= largeBatch;
}

void Streamed::Queue::run() {
  MutexLock lock(mutex_);
  thread_ = std::this_thread::get_id();
  for (;;) {
    changed_.wait(lock, [this]() REQUIRES(mutex_) { return !waits_.empty() || closing_; });
    changed_.waitFor(lock, manner_.linger, [this]() REQUIRES(mutex_) { return urgent(); });
    if (waits_.empty())
      break; // closing
    writeOut();
  }
  running_ = false;
  written_.notifyAll();
}

// Takes what waits and writes it, unlocked. After a failure this and all that follows is lost.
void Streamed::Queue::writeOut() {
  taken_.clearRecords();
  taken_.regions.clear();
  taken_.graphs.clear();
  taken_.acts.clear();
  taken_.threads.clear();
  taken_.regionsFrom = waits_.regionsFrom;
  taken_.graphsFrom = waits_.graphsFrom;
  taken_.actsFrom = waits_.actsFrom;
  taken_.threadsFrom = waits_.threadsFrom;
  std::swap(waits_, taken_);
  writing_ = true;
  const bool good = failed_.empty();
  mutex_.unlock();
  std::string failed;
  if (good)
    failed = failureOf([this] { return writer_->write(taken_); });
  const std::uint64_t dropped = writer_->dropped();
  mutex_.lock();
  writing_ = false;
  writerDropped_ = dropped;
  ++batches_;
  if (!failed.empty())
    failed_ = std::move(failed);
  if (!failed_.empty())
    dropped_ += taken_.records();
  written_.notifyAll();
}

bool Streamed::Queue::flush(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  if (!running_ && !manner_.onlyAtFlush)
    return true;
  if (!running_ && !writing_ && !waits_.empty())
    writeOut();
  hurry_ = true;
  changed_.notifyOne();
  const bool done = written_.waitFor(
      lock, timeout, [this]() REQUIRES(mutex_) { return waits_.empty() && !writing_; });
  hurry_ = false;
  return done;
}

std::uint64_t Streamed::Queue::dropped() const {
  const MutexLock lock(mutex_);
  return dropped_ + writerDropped_;
}

bool Streamed::Queue::end() {
  MutexLock lock(mutex_);
  closing_ = true;
  changed_.notifyOne();
  if (running_ && thread_ == std::this_thread::get_id())
    return false;
  for (;;) {
    const std::uint64_t before = batches_;
    const bool gotOn = written_.waitFor(
        lock, manner_.patience, [&]() REQUIRES(mutex_) { return !running_ || batches_ != before; });
    if (!running_ || !gotOn)
      return !running_;
  }
}

std::string Streamed::Queue::close(const Losses &losses) {
  const bool ended = end();
  MutexLock lock(mutex_);
  if (std::exchange(closed_, true))
    return {};
  if (!ended) {
    dropped_ += waits_.records() + (writing_ ? taken_.records() : 0);
    failed_ = manner_.stuck;
    return failed_;
  }
  if (failed_.empty() && !waits_.empty()) // notes without a replay
    writeOut();
  if (!failed_.empty())
    return failed_;
  Losses before = losses;
  before.dropped += dropped_;
  lock.unlock();
  return failureOf([&] { return writer_->close(before); });
}

Streamed::Streamed(std::string name, std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
                   Interest wants, Manner manner)
    : Output(std::move(name), wants),
      queue_(std::make_shared<Queue>(std::move(writer), maxRecords, manner)) {}

Streamed::~Streamed() { (void)queue_->end(); }

std::string Streamed::write(const Batch &batch) { return queue_->write(batch); }

std::uint64_t Streamed::dropped() const { return queue_->dropped(); }

bool Streamed::flush(std::int64_t timeoutMs) {
  return queue_->flush(std::chrono::milliseconds(timeoutMs));
}

std::string Streamed::close(const Losses &losses) { return queue_->close(losses); }

std::string Streamed::written() const { return queue_->written(); }

} // namespace graphprof
