// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The list of outputs, and how recordings reach them: one batch for each replay, handed to every
// output. Does not know formats. Of the session it knows only where to report losses and failures.

#ifndef GRAPHPROF_SESSION_OUTPUTS_H
#define GRAPHPROF_SESSION_OUTPUTS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "CacheLine.h"
#include "Mutex.h"
#include "output/Output.h"
#include "services/Counters.h"
#include "services/MessageLog.h"
#include "services/Recording.h"

namespace graphprof {

/// Any thread may call any member, also from inside a callback of the program's (which destroys its
/// Profiler, or whose own code is timed): these run on threads of their own, and nothing waits for
/// one with the mutex held.
///
/// An output that fails or throws is reported once and not called again. What it would have got is
/// counted as dropped. The others continue.
class Outputs {
public:
  /// The references must outlive this object. At most `maxRecords` allocations and frees wait for
  /// the outputs.
  Outputs(Counters &counters, MessageLog &messages, Recording &recording, std::size_t maxRecords)
      : counters_(counters), messages_(messages), recording_(recording), maxRecords_(maxRecords) {}
  Outputs(const Outputs &) = delete;
  Outputs &operator=(const Outputs &) = delete;

  /// Hands a replay to every output, as one batch, in the order of calls. The harvest thread calls
  /// this, and the program's thread does so for host regions. Called from inside a callback, it
  /// only counts the records as dropped.
  void consume(const Replay &replay) noexcept;
  /// Does the same with the runs of one replay's kernels.
  void consume(std::span<const KernelRun> runs) noexcept;
  /// Does the same with what a graph took of the device's memory.
  void consume(const GraphMemoryStep &step) noexcept;
  /// Does the same with host spans, for the outputs that want them.
  void consume(std::span<const HostSpan> spans) noexcept;

  /// Tells the outputs that want to know it that everything of the steps before `step` has been
  /// consumed that will be.
  void settled(std::int64_t step) noexcept;

  /// Takes an allocation or a free, made inside the regions of `path`. Hands it on at once if no
  /// output is being called, otherwise with the next replay, flush or close. Never waits. Keeps at
  /// most as many as records; more are counted as dropped.
  void consume(const MemoryEvent &event, std::string path) noexcept;
  /// Hands on what was taken so far.
  void handMemoryOn() noexcept;

  /// Adds an output. The returned pointer is its handle for detach(). The output gets what is
  /// consumed from now on. Returns null if `output` is null or memory is short.
  Output *attach(std::unique_ptr<Output> output) noexcept;
  /// Does the same for the table that is shown if GRAPHPROF_OUTPUT is not set.
  void attachDefaultTable(std::unique_ptr<Output> table) noexcept;
  /// Removes that table, because the program decides itself what is shown.
  void withoutDefaultTable() noexcept;
  /// Removes an output without closing it. A callback is not called any more after this returns:
  /// this waits for a call in progress, except for one that this thread is in.
  void detach(Output *output) noexcept;

  /// Makes the outputs write what they have to where it survives the process. Returns whether all
  /// did so within `timeoutMs` milliseconds: also that the callbacks for it have returned. Returns
  /// false at once inside a callback.
  [[nodiscard]] bool flush(std::int64_t timeoutMs) noexcept;

  /// Closes every output. What arrives later is counted as dropped. Called once, at exit. Gives up
  /// a callback that does not return within a second. `last` makes the last batch of each output:
  /// notes and remarks about the whole program.
  /// `closed` is told each output that was closed and did not fail.
  void close(const std::function<Batch()> &last,
             const std::function<void(const Output &)> &closed = {}) noexcept;
  /// Was any replay, or region outside graphs, consumed?
  [[nodiscard]] bool anyReplay() const { return anyReplay_.load(std::memory_order_relaxed); }
  /// Does an output want KernelRun::spans?
  [[nodiscard]] bool wantWarpSpans() const {
    return warpSpans_.load(std::memory_order_relaxed) > 0;
  }

  /// What was lost on the way to any output with these wants. Without what single outputs left out,
  /// which they say themselves (BatchWriter::close).
  [[nodiscard]] Losses lossesBefore(const Output::Interest &wants) const noexcept;
  /// Says that an output has failed, once.
  void sayFailed(const std::string &name, const std::string &why) noexcept;
  /// Counts records, host spans, allocations and frees that a single output left out.
  void leftOut(std::uint64_t count) noexcept;

private:
  // An output and its state.
  struct Entry {
    std::uint64_t number = 0;       // of those that were attached, from 1
    std::shared_ptr<Output> output; // shared with a flush() and a close() under way
    Output::Interest wants;
    std::uint64_t dropped = 0; // the last value of output->dropped()
    bool failed = false;       // not called any more; kept, because its address is still a handle
  };

  // The next one behind `number` that has not failed, and its number; null: there is none.
  [[nodiscard]] std::shared_ptr<Output> nextAfter(std::uint64_t &number) EXCLUDES(mutex_);
  void fail(Entry &entry, const std::string &why) noexcept;
  // Count what was lost on the way to every output, or to those that want it.
  void lose(const Replay &replay) noexcept { counters_.dropped += replay.records.size(); }
  void lose(std::span<const HostSpan> spans) noexcept {
    counters_.dropped += spans.size();
    lostSpans_ += spans.size();
  }
  void loseMemory() noexcept {
    ++counters_.dropped;
    ++lostMemory_;
  }
  void lose(std::span<const KernelRun> runs) noexcept { counters_.dropped += runs.size(); }
  void lose(const GraphMemoryStep &) noexcept { ++counters_.dropped; }
  // `Given` is Replay, GraphMemoryStep, std::span<const HostSpan> or std::span<const KernelRun>.
  template <class Given> void consumeAny(const Given &given) noexcept;
  void take(const Replay &replay) REQUIRES(mutex_);
  void take(std::span<const HostSpan> spans) REQUIRES(mutex_);
  void take(std::span<const KernelRun> runs) REQUIRES(mutex_);
  void take(const GraphMemoryStep &step) REQUIRES(mutex_);
  template <class Wanted> void hand(std::size_t size, Wanted wanted) REQUIRES(mutex_);
  void handMemory() REQUIRES(mutex_);
  void countDropped(Entry &entry) noexcept;

  Counters &counters_;
  MessageLog &messages_;
  Recording &recording_;
  const std::size_t maxRecords_;
  // Parts of counters_.dropped, raised after it: what single outputs left out, and what was lost on
  // the way to those that want host spans, or allocations and frees.
  std::atomic<std::uint64_t> leftOut_{0}, lostSpans_{0}, lostMemory_{0};
  // Held while batches are handed to outputs, by one thread at a time. None calls the program.
  alignas(cacheLine) Mutex mutex_;
  std::atomic<bool> anyReplay_{false};
  std::atomic<std::size_t> warpSpans_{0}; // so many of outputs_ want them; set under mutex_
  std::vector<Entry> outputs_ GUARDED_BY(mutex_);
  std::uint64_t attached_ GUARDED_BY(mutex_) = 0;     // so many
  Output *defaultTable_ GUARDED_BY(mutex_) = nullptr; // one of outputs_
  Batcher batcher_ GUARDED_BY(mutex_);
  // The batch that is handed on, together with everything that is known. An output that is attached
  // finds all of it in its next batch.
  Batch batch_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;

  struct WaitingMemory {
    MemoryEvent event;
    std::string path;
  };
  Mutex memoryMutex_; // nothing is called while it is held
  std::vector<WaitingMemory> memory_ GUARDED_BY(memoryMutex_);
  std::atomic<bool> memoryWaits_{false};
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_OUTPUTS_H
