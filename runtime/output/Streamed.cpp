// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Streamed.h"

#include <exception>
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

  std::string write(const Replay &replay);
  std::string write(std::span<const HostSpan> spans);
  std::string write(const MemoryEvent &event);
  // Adds something to what waits.
  template <class Add> void note(Add add);
  [[nodiscard]] std::uint64_t dropped() const;
  bool flush(std::chrono::milliseconds timeout);
  // Ends the thread when nothing waits any more. False: it does not get on, and is left behind.
  bool end();
  std::string close(const Losses &losses);

private:
  // Adds what weighs so many records, where there is room.
  template <class Add> std::string take(std::size_t records, Add add);
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
  Batcher batcher_ GUARDED_BY(mutex_);
  Batch waits_ GUARDED_BY(mutex_);
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

template <class Add> std::string Streamed::Queue::take(std::size_t records, Add add) {
  MutexLock lock(mutex_);
  if (!failed_.empty()) {
    dropped_ += records;
    return failed_;
  }
  if (waits_.records() + waits_.launches.size() + records + 1 > maxRecords_) {
    dropped_ += records;
    return {};
  }
  const bool wasUrgent = urgent(), wasEmpty = waits_.empty();
  add(waits_);
  if (!running_)
    start();
  if (!running_) // then it is written here
    writeOut();
  else if (wasEmpty || wasUrgent != urgent())
    changed_.notifyOne();
  return {};
}

std::string Streamed::Queue::write(const Replay &replay) {
  return take(replay.records.size(),
              [&](Batch &batch) REQUIRES(mutex_) { batcher_.add(replay, batch); });
}

// One by one: as many as there is room for.
std::string Streamed::Queue::write(std::span<const HostSpan> spans) {
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (std::string failed =
            take(1, [&](Batch &batch) REQUIRES(mutex_) { batcher_.add(spans[i], batch); });
        !failed.empty()) {
      const MutexLock lock(mutex_);
      dropped_ += spans.size() - i - 1;
      return failed;
    }
  return {};
}

std::string Streamed::Queue::write(const MemoryEvent &event) {
  return take(1, [&](Batch &batch) { Batcher::add(event, batch); });
}

// What is noted before the first replay goes with it.
template <class Add> void Streamed::Queue::note(Add add) {
  const MutexLock lock(mutex_);
  add(waits_);
  changed_.notifyOne();
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
  batcher_.renew(taken_);
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
    failed_ = "it takes nothing any more";
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
                   std::chrono::milliseconds patience, bool hostSpans, bool memory)
    : name_(std::move(name)), hostSpans_(hostSpans), memory_(memory),
      queue_(std::make_shared<Queue>(std::move(writer), maxRecords, patience)) {}

Streamed::~Streamed() { (void)queue_->end(); }

std::string Streamed::write(const Replay &replay) { return queue_->write(replay); }

std::string Streamed::writeHost(std::span<const HostSpan> spans) { return queue_->write(spans); }

std::string Streamed::memory(const MemoryEvent &event) {
  return memory_ ? queue_->write(event) : std::string();
}

std::uint64_t Streamed::dropped() const { return queue_->dropped(); }

void Streamed::metadata(const std::string &key, const std::string &json) {
  queue_->note([&](Batch &batch) { batch.notes.push_back({key, json}); });
}

void Streamed::remark(const std::string &sentence) {
  queue_->note([&](Batch &batch) { batch.remarks.push_back(sentence); });
}

bool Streamed::flush(std::int64_t timeoutMs) {
  return queue_->flush(std::chrono::milliseconds(timeoutMs));
}

std::string Streamed::close(const Losses &losses) { return queue_->close(losses); }

} // namespace graphprof
