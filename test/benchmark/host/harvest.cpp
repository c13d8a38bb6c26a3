// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The cost of a record on the background thread. Replays are launched while a gate blocks that
// thread. Then the gate opens, and the thread's processor time is read before and after.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <pthread.h>

#include "../statistics.h"
#include "output/MakeOutput.h"
#include "output/Output.h"
#include "output/data/Batch.h"
#include "process/Process.h"
#include "program.h"
#include "sections.h"
#include "session/Session.h"

namespace benchmark::host {
namespace {

/// An output that blocks the background thread while the gate is shut, and only counts otherwise.
class Gate {
public:
  Gate() : counter_(graphprof::process().session.outputs.attach(std::make_unique<Counter>(*this))) {
    graphprof::process().session.recordingSwitch.request(counter_, {.device = true, .host = true});
  }
  ~Gate() {
    graphprof::flush();
    graphprof::process().session.recordingSwitch.withdraw(counter_);
    graphprof::process().session.outputs.detach(counter_);
  }
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;

  void shut() {
    const std::lock_guard lock(mutex_);
    open_ = false;
    reached_ = false;
    count_ = 0;
  }
  /// Returns when the background thread waits at the gate.
  void awaitThread() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reached_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// The background thread's processor time. Known once that thread was here.
  [[nodiscard]] double processorNs() const {
    timespec time{};
    clock_gettime(thread_, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
  }
  /// The records since the gate was shut. Call it after all are harvested.
  [[nodiscard]] std::uint64_t records() const { return count_; }

private:
  class Counter : public graphprof::Output {
  public:
    explicit Counter(Gate &gate) : Output("gate"), gate_(gate) {}
    [[nodiscard]] std::string write(const graphprof::Batch &batch) override {
      if (!batch.timings.empty())
        gate_.pass(batch.timings.size());
      return {};
    }
    [[nodiscard]] std::string close(const graphprof::Losses & /*losses*/) override { return {}; }

  private:
    Gate &gate_;
  };

  void pass(std::size_t records) {
    count_ += records;
    if (open_.load(std::memory_order_relaxed))
      return;
    std::unique_lock lock(mutex_);
    pthread_getcpuclockid(pthread_self(), &thread_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_.load(); });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> open_{true};
  bool reached_ = false;
  clockid_t thread_{};
  std::uint64_t count_ = 0; // written by the background thread
  graphprof::Output *counter_;
};

// Attaches one of graphprof's outputs, which is never closed, because writing at the end is not
// measured.
class Attached {
public:
  explicit Attached(const std::string &item) {
    constexpr std::size_t maxRecords = 1'000'000'000;
    if (!item.empty())
      output_ =
          graphprof::process().session.outputs.attach(graphprof::makeOutput(item, maxRecords));
  }
  ~Attached() {
    if (output_)
      graphprof::process().session.outputs.detach(output_);
  }
  Attached(const Attached &) = delete;
  Attached &operator=(const Attached &) = delete;

private:
  graphprof::Output *output_ = nullptr;
};

double recordNs(Gate &gate, const TimedExec &exec, const Stream &stream, int launches,
                int regions) {
  gate.shut();
  for (int i = 0; i < launches; ++i)
    exec.launch(stream);
  stream.synchronize();
  gate.awaitThread();
  const double beforeNs = gate.processorNs();
  gate.open();
  if (!graphprof::flush())
    throw std::runtime_error("harvest: the records did not arrive");
  const double tookNs = gate.processorNs() - beforeNs;
  const auto expected = static_cast<std::uint64_t>(launches) * static_cast<unsigned>(regions);
  if (gate.records() != expected)
    throw std::runtime_error("harvest: " + std::to_string(gate.records()) +
                             " records were seen, not " + std::to_string(expected));
  return tookNs / static_cast<double>(expected);
}

// The number of launches that are kept until they are read.
int launchesFor(int regions) {
  const char *clock = std::getenv("GRAPHPROF_CLOCK");
  const bool events = clock && std::string_view(clock) == "event";
  return (events ? 12'000 : 100'000) / std::max(regions, events ? 60 : 40);
}

} // namespace

void harvest(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  Gate gate;
  const graphprof::Profiler profiler([](const graphprof::Record &) {});
  struct Kind {
    std::string what, item;
  };
  const std::vector<Kind> kinds = {{"a callback", ""},
                                   {"a callback and the table", "table:/dev/null"},
                                   {"a callback and the Chrome trace", "/tmp/never-written.json"}};
  std::printf("\n### Harvest: processor time of the background thread\n\n"
              "| regions a replay | to | ns a record | aim, ns |\n| --- | --- | --- | --- |\n");
  for (const int regions : {16, 1000}) {
    if (quick && regions > 16)
      continue;
    const TimedExec exec(stream, regions);
    std::vector<std::vector<double>> samples(kinds.size());
    for (int round = 0; round <= (quick ? 1 : 21); ++round)
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const Attached attached(kinds[kind].item);
        const double ns = recordNs(gate, exec, stream, quick ? 10 : launchesFor(regions), regions);
        if (round > 0)
          samples[kind].push_back(ns);
      }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const Summary summary = summarise(samples[kind]);
      std::printf("| %d | %s | %.1f (%.1f to %.1f) | %s |\n", regions, kinds[kind].what.c_str(),
                  summary.median, summary.lowerQuartile, summary.upperQuartile,
                  kind == 0 ? "50" : "");
    }
  }
  std::fflush(stdout);
}

} // namespace benchmark::host
