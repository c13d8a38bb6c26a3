// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "tick.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tick {

namespace {

using Clock = std::chrono::steady_clock;

void beBusy(int microseconds) {
  const auto until = Clock::now() + std::chrono::microseconds(microseconds);
  while (Clock::now() < until)
    ;
}

// All streams. None is created or destroyed while another thread waits for one.
struct Streams {
  std::mutex mutex;
  std::vector<Stream *> all;
};

Streams &streams() {
  static Streams *const streams = new Streams;
  return *streams;
}

} // namespace

std::int64_t nowNs() {
  static const std::int64_t epochNs = [] {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const auto steady = Clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count() -
           std::chrono::duration_cast<std::chrono::nanoseconds>(steady).count();
  }();
  return epochNs +
         std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
             .count();
}

struct Stream {
  Stream() : thread([this] { run(); }) {}
  ~Stream() {
    {
      const std::lock_guard lock(mutex);
      ends = true;
    }
    changed.notify_all();
    thread.join();
  }

  void give(std::function<void()> what) {
    {
      const std::lock_guard lock(mutex);
      queue.push_back(std::move(what));
    }
    changed.notify_all();
  }
  void waitUntilIdle() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return queue.empty(); });
  }

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return ends || !queue.empty(); });
      if (queue.empty())
        return;
      const std::function<void()> what = queue.front();
      lock.unlock();
      what();
      lock.lock();
      queue.pop_front(); // removed after it has run
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool ends = false;
  std::thread thread; // last, because it uses the other members
};

Stream *createStream() {
  auto *const stream = new Stream;
  const std::lock_guard lock(streams().mutex);
  streams().all.push_back(stream);
  return stream;
}

void destroyStream(Stream *stream) {
  {
    const std::lock_guard lock(streams().mutex);
    auto &all = streams().all;
    all.erase(std::find(all.begin(), all.end(), stream));
  }
  delete stream;
}

void work(Stream *stream, int microseconds) {
  stream->give([microseconds] { beBusy(microseconds); });
}

void synchronize() {
  const std::lock_guard lock(streams().mutex);
  for (Stream *const stream : streams().all)
    stream->waitUntilIdle();
}

namespace {

// The state that an event shares with the streams that record it.
struct Moment {
  std::mutex mutex;
  std::condition_variable changed;
  bool happened = false;
  std::int64_t ns = 0;
};

} // namespace

struct Event {
  std::shared_ptr<Moment> moment = std::make_shared<Moment>();
};

Event *createEvent() { return new Event; }
void destroyEvent(Event *event) { delete event; }

void record(Stream *stream, Event *event) {
  stream->give([moment = event->moment] {
    {
      const std::lock_guard lock(moment->mutex);
      moment->ns = nowNs();
      moment->happened = true;
    }
    moment->changed.notify_all();
  });
}

bool happened(const Event *event) {
  const std::lock_guard lock(event->moment->mutex);
  return event->moment->happened;
}

void wait(const Event *event) {
  std::unique_lock lock(event->moment->mutex);
  event->moment->changed.wait(lock, [&] { return event->moment->happened; });
}

std::int64_t timeNs(const Event *event) {
  const std::lock_guard lock(event->moment->mutex);
  return event->moment->ns;
}

} // namespace tick
