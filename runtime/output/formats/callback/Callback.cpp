// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/callback/Callback.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "Mutex.h"
#include "Thrown.h"
#include "output/Failure.h"
#include "output/InCallback.h"
#include "output/Streamed.h"
#include "output/data/BatchView.h"

namespace graphprof {

// Lives as long as the thread that calls it, which may be longer than the output.
class Callback::Calls : public BatchWriter {
public:
  Calls(std::function<void(const Record &)> function,
        std::function<void(const std::string &)> failed)
      : function_(std::move(function)), failed_(std::move(failed)) {}

  [[nodiscard]] std::string write(const Batch &batch) override {
    {
      const MutexLock lock(mutex_);
      if (stopped_ || !function_)
        return {};
      caller_ = std::this_thread::get_id();
    }
    threadIsInCallback = true;
    std::string failure = failureOf([&] { return callFor(batch); });
    if (!failure.empty() && failed_)
      failed_(failure);
    threadIsInCallback = false;
    const MutexLock lock(mutex_);
    caller_ = {};
    returned_.notifyAll();
    return failure;
  }
  [[nodiscard]] std::string close(const Losses & /*losses*/) override { return {}; }

  void stop() {
    MutexLock lock(mutex_);
    stopped_ = true;
    if (caller_ != std::this_thread::get_id())
      returned_.wait(lock, [this]() REQUIRES(mutex_) { return caller_ == std::thread::id(); });
  }
  [[nodiscard]] bool isThisThread() {
    const MutexLock lock(mutex_);
    return caller_ == std::this_thread::get_id();
  }

private:
  void learn(const Batch &batch);
  std::string callFor(const Batch &batch);

  const std::function<void(const Record &)> function_;
  const std::function<void(const std::string &)> failed_;
  BatchView view_;
  Mutex mutex_;
  Condition returned_;
  std::thread::id caller_ GUARDED_BY(mutex_); // who is in write()
  std::atomic<bool> stopped_{false};          // set under mutex_
};

// Regions come once, and without them nothing that follows can be told. So this waits a while for
// memory.
void Callback::Calls::learn(const Batch &batch) {
  constexpr int tries = 100;
  constexpr auto pause = std::chrono::milliseconds(5);
  for (int i = 0; !survived([&] { view_.take(batch); }); ++i) {
    if (i == tries)
      throw std::bad_alloc();
    std::this_thread::sleep_for(pause);
  }
}

std::string Callback::Calls::callFor(const Batch &batch) try {
  learn(batch);
  for (const Batch::Launch &launch : batch.launches)
    for (const Batch::Timing &timing : batch.timingsOf(launch)) {
      if (stopped_)
        return {};
      function_(view_.record(launch.replay, timing));
    }
  return {};
} catch (...) {
  return std::string("it threw: ") + whatWasThrown();
}

Callback::Callback(std::function<void(const Record &)> function, std::size_t maxRecords,
                   std::function<void(const std::string &why)> failed)
    : Callback(new Calls(std::move(function), std::move(failed)), maxRecords) {}

Callback::Callback(Calls *calls, std::size_t maxRecords)
    : ForwardingOutput(std::make_shared<Streamed>(
          "callback", std::unique_ptr<BatchWriter>(calls), maxRecords, Interest(),
          Streamed::Manner{.patience = std::chrono::seconds(1),
                           .stuck = "a callback does not return within a second; let it return "
                                    "before the program ends",
                           .linger = std::chrono::milliseconds(1), // else each replay wakes it
                           .onlyAtFlush = true})),
      calls_(*calls) {}

void Callback::stop() { calls_.stop(); }

std::string Callback::close(const Losses &losses) {
  if (!calls_.isThisThread())
    return ForwardingOutput::close(losses);
  stop();
  return {};
}

} // namespace graphprof
