// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "host/HostSpans.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <exception>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "ThreadOwned.h"
#include "Thrown.h"
#include "output/data/ReplaySink.h"
#include "services/Services.h"
#include "services/StepName.h"

namespace graphprof {

struct HostSpans::OfThread {
  OfThread(const HostSpans &owner, std::size_t most, std::shared_ptr<const HostThread> of)
      : owner(owner), queue(most), thread(std::move(of)) {}

  const HostSpans &owner; // after a fork, the child has another one

  HostSpanQueue queue;
  const std::shared_ptr<const HostThread> thread;
  std::atomic<bool> ended{false}; // set by its thread, which pushes nothing after that
};

namespace {

constexpr std::size_t longestThreadName = 16; // the kernel's bound, with the terminating null

std::shared_ptr<const HostThread> describeThisThread() {
  std::array<char, longestThreadName> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0)
    name.front() = '\0';
  return std::make_shared<const HostThread>(
      HostThread{static_cast<std::uint64_t>(::gettid()), std::string(name.data())});
}

std::uint64_t bytesOf(const HostEvent &event) {
  const auto bytes =
      std::find_if(event.context.begin(), event.context.end(), [](const Value &value) {
        return value.key() == "bytes" && value.kind() == Value::Kind::Unsigned;
      });
  return bytes == event.context.end() ? 0 : bytes->as_unsigned();
}

std::string nameOf(const HostEvent &event, Services &services) {
  switch (event.kind) {
  case HostKind::Region:
  case HostKind::Copy:
    return services.nameOf(*event.site, event.context);
  case HostKind::Mark:
  case HostKind::Range: {
    std::string name = event.name;
    services.shorten(name);
    return name;
  }
  case HostKind::Launch:
    return "cudaGraphLaunch";
  case HostKind::Step:
    return stepName(event.step);
  }
  return {};
}

} // namespace

// The value of a pthread key outlives the thread_local objects in whose destructors regions may
// end, and is created again if needed (as in OpenRegions).
HostSpans::OfThread &HostSpans::ofThisThread() {
  thread_local OfThread *mine = nullptr;
  static const ThreadKey key([](void *of) {
    mine = nullptr;
    static_cast<OfThread *>(of)->ended.store(true, std::memory_order_release);
  });
  if (mine && &mine->owner == this)
    return *mine;
  auto made = std::make_shared<OfThread>(*this, services_.config().maxQueue, describeThisThread());
  const MutexLock lock(mutex_);
  threads_.push_back(made);
  mine = made.get();
  (void)key.set(mine); // else its end is not seen
  return *mine;
}

std::shared_ptr<const HostThread> HostSpans::thisThread() { return ofThisThread().thread; }

void HostSpans::push(HostEvent event) noexcept {
  auto pushed = HostSpanQueue::Pushed::Full;
  (void)survived([&] { pushed = ofThisThread().queue.push(std::move(event)); });
  if (!used())
    used_.store(true);
  if (pushed == HostSpanQueue::Pushed::Full)
    ++services_.counters.hostSpans;
  if (pushed == HostSpanQueue::Pushed::Yes)
    return;
  if (void (*const wake)() noexcept = wake_.load(std::memory_order_relaxed))
    wake();
}

bool HostSpans::take(std::vector<Taken> &taken) {
  taken.reserve(threads_.size()); // so that nothing can fail below
  bool all = true;
  std::erase_if(threads_, [&](const std::shared_ptr<OfThread> &one) {
    const bool ended = one->ended.load(std::memory_order_acquire);
    if (one->queue.oldestEndNs()) {
      Taken &mine = taken.emplace_back();
      mine.thread = one->thread;
      all = one->queue.take(mine.events) && all;
      if (mine.events.empty())
        taken.pop_back(); // no memory
    }
    return ended && !one->queue.oldestEndNs();
  });
  return all;
}

bool HostSpans::harvest(ReplaySink &sink) {
  std::vector<Taken> taken;
  bool all = false;
  {
    const MutexLock lock(mutex_);
    all = take(taken);
    for (const Taken &one : taken)
      handingNs_ = std::min(handingNs_, one.events.front().endNs);
  }
  if (taken.empty())
    return all;
  if (!survived([&] { hand(taken, sink); }))
    for (const Taken &one : taken)
      services_.counters.hostSpans += one.events.size();
  const MutexLock lock(mutex_);
  handingNs_ = INT64_MAX;
  return all;
}

void HostSpans::hand(const std::vector<Taken> &taken, ReplaySink &sink) {
  std::vector<HostSpan> spans;
  std::deque<std::string> names;
  for (const auto &[thread, events] : taken)
    for (const HostEvent &event : events) {
      const HostThread &of = event.thread ? *event.thread : *thread;
      HostSpan &span = spans.emplace_back();
      span.kind = event.kind;
      span.captured = event.captured;
      span.name = names.emplace_back(nameOf(event, services_));
      span.site = event.site;
      span.context = event.context.data();
      span.context_size = event.context.size();
      span.thread = of.id;
      span.thread_name = of.name;
      span.begin_ns = event.beginNs;
      span.end_ns = event.endNs;
      span.step = event.step;
      span.graph = event.graph;
      span.exec = event.exec;
      span.replay = event.replay;
      span.bytes = event.kind == HostKind::Copy ? bytesOf(event) : 0;
      span.device = event.device;
    }
  sink.consume(spans);
}

bool HostSpans::outBefore(std::int64_t hostNs) {
  const MutexLock lock(mutex_);
  return handingNs_ < hostNs || std::any_of(
                                    threads_.begin(), threads_.end(),
                                    [&](const auto &one) {
                                      return one->queue.oldestEndNs().value_or(INT64_MAX) < hostNs;
                                    });
}

std::size_t HostSpans::abandon() {
  const MutexLock lock(mutex_);
  std::vector<Taken> taken;
  (void)take(taken);
  std::size_t count = 0;
  for (const Taken &one : taken)
    count += one.events.size();
  return count;
}

} // namespace graphprof
