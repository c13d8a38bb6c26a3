// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Streamed.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "Mutex.h"
#include "NoSignals.h"
#include "output/data/Batch.h"

namespace graphprof {

namespace {

// How long what came first waits for more: a file is written in larger pieces, and the harvest
// wakes the thread less often.
constexpr auto linger = std::chrono::milliseconds(20);
constexpr std::size_t largeBatch = 16'384; // records that are written at once

// Adds those of `things` that the writer has not met: its next id is `next`, and of what waits the
// least one `from`; `used`: something that waits is of one. False, and none is added, where some
// before them never came: what was left out had them, and they are not known any more.
template <class Thing>
bool meet(const std::vector<Thing> &things, std::uint64_t thingsFrom, bool used,
          std::vector<Thing> &met, std::uint64_t &from, std::uint64_t &next) {
  const std::span<const Thing> added = newOf(things, next);
  if (used && !added.empty() && added.front().id != next)
    return false;
  if (!used)
    from = thingsFrom;
  met.insert(met.end(), added.begin(), added.end());
  if (!added.empty())
    next = added.back().id + 1;
  return true;
}

// What `call` throws is a failure too.
template <class Call> std::string failureOf(Call call) noexcept {
  try {
    try {
      return call();
    } catch (const std::exception &error) {
      return error.what();
    }
  } catch (...) { // no memory even for the text
    return "no memory";
  }
}

} // namespace

// What waits for the thread, and the thread. The session calls, from one thread at a time, all but
// run(). The writer is the thread's while that runs, and the caller's behind its end.
class Streamed::Queue : public std::enable_shared_from_this<Queue> {
public:
  Queue(std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
        std::chrono::milliseconds patience)
      : writer_(std::move(writer)), maxRecords_(maxRecords), patience_(patience) {}

  std::string write(const Batch &batch);
  [[nodiscard]] std::uint64_t dropped() const;
  bool flush(std::chrono::milliseconds timeout);
  // Ends the thread when nothing waits any more. False: it does not get on, and is left behind.
  bool end();
  std::string close(const Losses &losses);

private:
  // Add what there is room for to what waits, count the rest.
  void takeLaunches(const Batch &batch) REQUIRES(mutex_);
  void takeSpans(const Batch &batch) REQUIRES(mutex_);
  void takeMemory(const Batch &batch) REQUIRES(mutex_);
  [[nodiscard]] std::size_t weight() const REQUIRES(mutex_); // of what waits, and one more
  void start() REQUIRES(mutex_);
  void run();
  void writeOut() REQUIRES(mutex_); // written unlocked
  [[nodiscard]] bool urgent() const REQUIRES(mutex_);

  const std::unique_ptr<BatchWriter> writer_;
  const std::size_t maxRecords_;
  const std::chrono::milliseconds patience_;

  mutable Mutex mutex_;
  Condition changed_; // something waits, or is wanted
  Condition written_; // something does not wait any more, or the thread has ended
  Batch waits_ GUARDED_BY(mutex_);
  // Ids that neither the writer has nor wait for it.
  std::uint64_t nextRegion_ GUARDED_BY(mutex_) = 1, nextAct_ GUARDED_BY(mutex_) = 1,
                            nextThread_ GUARDED_BY(mutex_) = 1;
  std::string failed_ GUARDED_BY(mutex_); // why, once it has
  std::uint64_t dropped_ GUARDED_BY(mutex_) = 0;
  std::uint64_t batches_ GUARDED_BY(mutex_) = 0; // written or lost
  bool writing_ GUARDED_BY(mutex_) = false;      // taken_ is being written
  bool hurry_ GUARDED_BY(mutex_) = false;        // somebody waits for written_
  bool closing_ GUARDED_BY(mutex_) = false;      // the thread ends when nothing waits
  bool running_ GUARDED_BY(mutex_) = false;      // there is a thread
  bool closed_ GUARDED_BY(mutex_) = false;

  Batch taken_; // who writes has it, unlocked; changed under mutex_
};

// What is noted before the first replay goes with it.
std::string Streamed::Queue::write(const Batch &batch) {
  const MutexLock lock(mutex_);
  const bool wasUrgent = urgent(), wasEmpty = waits_.empty();
  waits_.notes.insert(waits_.notes.end(), batch.notes.begin(), batch.notes.end());
  waits_.remarks.insert(waits_.remarks.end(), batch.remarks.begin(), batch.remarks.end());
  if (batch.launches.empty() && batch.records() == 0)
    return {}; // goes with what comes next, or at the end
  if (!failed_.empty()) {
    dropped_ += batch.records();
    return failed_;
  }
  takeLaunches(batch);
  if (!batch.spans.empty())
    takeSpans(batch);
  if (!batch.memory.empty())
    takeMemory(batch);
  if (!running_ && !waits_.empty())
    start();
  if (!running_ && !waits_.empty()) // then it is written here
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
        !meet(batch.regions, batch.regionsFrom, !waits_.launches.empty(), waits_.regions,
              waits_.regionsFrom, nextRegion_)) {
      dropped_ += launch.count;
      continue;
    }
    const std::span<const Batch::Timing> timings = batch.timingsOf(launch);
    const std::size_t first = waits_.timings.size();
    waits_.timings.insert(waits_.timings.end(), timings.begin(), timings.end());
    waits_.launches.push_back(launch); // last: without memory it is not there
    waits_.launches.back().first = first;
  }
}

void Streamed::Queue::takeSpans(const Batch &batch) {
  const std::size_t count =
      std::min(batch.spans.size(), maxRecords_ - std::min(weight(), maxRecords_));
  if (count > 0) {
    const bool used = !waits_.spans.empty();
    if (meet(batch.acts, batch.actsFrom, used, waits_.acts, waits_.actsFrom, nextAct_) &&
        meet(batch.threads, batch.threadsFrom, used, waits_.threads, waits_.threadsFrom,
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
  const NoSignals guard;
  try {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
    running_ = true;
  } catch (const std::system_error &) {
    running_ = false; // there are as many threads as may be
  }
}

bool Streamed::Queue::urgent() const {
  return closing_ || hurry_ || waits_.records() >= largeBatch;
}

void Streamed::Queue::run() {
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this]() REQUIRES(mutex_) { return !waits_.empty() || closing_; });
    changed_.waitFor(lock, linger, [this]() REQUIRES(mutex_) { return urgent(); });
    if (waits_.empty())
      break; // closing
    writeOut();
  }
  running_ = false;
  written_.notifyAll();
}

// Takes what waits and writes it, unlocked. Where that fails, it and what follows is lost.
void Streamed::Queue::writeOut() {
  taken_.clearRecords();
  taken_.regions.clear();
  taken_.acts.clear();
  taken_.threads.clear();
  taken_.regionsFrom = waits_.regionsFrom;
  taken_.actsFrom = waits_.actsFrom;
  taken_.threadsFrom = waits_.threadsFrom;
  std::swap(waits_, taken_);
  writing_ = true;
  const bool good = failed_.empty();
  mutex_.unlock();
  std::string failed;
  if (good)
    failed = failureOf([this] { return writer_->write(taken_); });
  mutex_.lock();
  writing_ = false;
  ++batches_;
  if (!failed.empty())
    failed_ = std::move(failed);
  if (!failed_.empty())
    dropped_ += taken_.records();
  written_.notifyAll();
}

bool Streamed::Queue::flush(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  if (!running_)
    return true;
  hurry_ = true;
  changed_.notifyOne();
  const bool done = written_.waitFor(
      lock, timeout, [this]() REQUIRES(mutex_) { return waits_.empty() && !writing_; });
  hurry_ = false;
  return done;
}

std::uint64_t Streamed::Queue::dropped() const {
  const MutexLock lock(mutex_);
  return dropped_;
}

bool Streamed::Queue::end() {
  MutexLock lock(mutex_);
  closing_ = true;
  changed_.notifyOne();
  for (;;) {
    const std::uint64_t before = batches_;
    const bool gotOn = written_.waitFor(
        lock, patience_, [&]() REQUIRES(mutex_) { return !running_ || batches_ != before; });
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
    failed_ = "it accepts no more data";
    return failed_;
  }
  if (failed_.empty() && !waits_.empty()) // noted where there was no replay
    writeOut();
  if (!failed_.empty())
    return failed_;
  lock.unlock();
  return failureOf([&] { return writer_->close(losses); });
}

Streamed::Streamed(std::string name, std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
                   Wants wants, std::chrono::milliseconds patience)
    : name_(std::move(name)), wants_(wants),
      queue_(std::make_shared<Queue>(std::move(writer), maxRecords, patience)) {}

Streamed::~Streamed() { (void)queue_->end(); }

std::string Streamed::write(const Batch &batch) { return queue_->write(batch); }

std::uint64_t Streamed::dropped() const { return queue_->dropped(); }

bool Streamed::flush(std::int64_t timeoutMs) {
  return queue_->flush(std::chrono::milliseconds(timeoutMs));
}

std::string Streamed::close(const Losses &losses) { return queue_->close(losses); }

} // namespace graphprof
