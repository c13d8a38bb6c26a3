// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A profiler's life from step to step: which action comes next, what is recorded, and where it
// goes. This is torch.profiler's state machine, with the table of Transitions.h.
//
//   state of a cycle | from           | to
//   -----------------+----------------+------------------------------------------------------
//   prepared         | P              | S; launches are timed already, but not kept
//   open             | S              | X; what is launched now is the cycle's
//   closed           | X, end noted   | everything launched before its end was handed on
//   saved            | the saver      | the trace that is shown; at T on_trace_ready gets it
//
// The time of a launch on the host decides to which cycle it belongs. An open interval is two
// times, so a record that arrives much later still finds its cycle. A host span belongs to a cycle
// if it began and ended in it. One cycle ends and the next begins at the same time, read under the
// lock under which records look for their cycle, so no launch falls between two cycles. A step only
// takes a lock that is never held for long and notes a time. It waits for no device, no output and
// no harvest, and makes no CUDA call.
//
// Threads and races:
// - The program's threads start, step and stop, one at a time. They also call the program's own
//   functions (its schedule, its trace ids).
// - The harvest thread writes to the cycles. It takes mutex_ to find a cycle, then the lock of the
//   cycle's data.
// - The saver's thread takes a closed cycle's records and calls on_trace_ready. What comes later (a
//   region outside graphs that was open when its cycle ended) is counted as dropped.

#ifndef GRAPHPROF_SESSION_CYCLES_CYCLES_H
#define GRAPHPROF_SESSION_CYCLES_CYCLES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "graphprof/activity.h"
#include "graphprof/schedule.h"
#include "output/Output.h"
#include "output/data/BatchView.h"
#include "services/Steps.h"
#include "session/Session.h"
#include "session/cycles/CycleData.h"
#include "session/cycles/Intervals.h"
#include "session/cycles/SavedCycle.h"
#include "session/cycles/Saver.h"

namespace graphprof {

class Cycles : public std::enable_shared_from_this<Cycles> {
public:
  struct Options {
    std::function<ProfilerAction(std::int64_t)> schedule; ///< empty: always RECORD
    Activities activities = Activities::all();
    bool accumulate = false;
    bool hostSpans = true;                ///< with CPU, also record what the program's threads do
    bool memory = false;                  ///< also record allocations and frees
    std::function<std::string()> traceId; ///< empty: a random one
    std::function<void(const std::shared_ptr<const SavedCycle> &)> ready; ///< may be empty
    /// Called when a cycle ends, before its end is noted. Hands on what this thread holds back.
    std::function<void()> handOn;
    std::string name; ///< names the program's functions in messages
  };

  /// `now` returns the host's time. Launches are noted in the same time.
  Cycles(Session &session, Saver &saver, std::function<std::int64_t()> now, Options options);
  Cycles(const Cycles &) = delete;
  Cycles &operator=(const Cycles &) = delete;

  /// start() does nothing if started, stop() nothing if stopped. step() counts in both states, as
  /// in torch.profiler.
  void start() EXCLUDES(mutex_, steppingMutex_);
  void step() EXCLUDES(mutex_, steppingMutex_);
  void stop() EXCLUDES(mutex_, steppingMutex_);
  /// Call this when a step has ended and no other has begun. If it was the last step of its cycle,
  /// the cycle is saved now.
  void rest() EXCLUDES(steppingMutex_);
  /// Call this before the first start(): the process's step `seen.first` becomes the profiler's
  /// step 0. Further calls do nothing.
  void numberSteps(Steps::Seen seen) EXCLUDES(mutex_);
  [[nodiscard]] Steps::Seen steps() const EXCLUDES(mutex_);
  /// Switches activities on or off until the open cycle ends. Does nothing if none is open.
  void toggle(bool enable, Activities activities) EXCLUDES(mutex_, steppingMutex_);

  [[nodiscard]] std::int64_t stepNumber() const EXCLUDES(mutex_);
  [[nodiscard]] bool started() const EXCLUDES(mutex_);
  /// How many cycles have begun.
  [[nodiscard]] std::uint64_t begun() const EXCLUDES(mutex_);

  /// metadata() applies to the trace that is being recorded, or else to the next one;
  /// presetMetadata() to every trace that begins later.
  void metadata(std::string key, std::string json) EXCLUDES(mutex_);
  void presetMetadata(std::string key, std::string json) EXCLUDES(mutex_);
  void traceIdFrom(std::function<std::string()> callback) EXCLUDES(mutex_);
  /// The id of the cycle that is prepared or open, or else of the newest one. Empty if there is
  /// none.
  [[nodiscard]] std::string traceId() const EXCLUDES(mutex_);

  /// The cycle that was saved last; never null.
  [[nodiscard]] std::shared_ptr<const SavedCycle> saved() const EXCLUDES(mutex_);
  /// Waits until every ended cycle was saved and handed to `ready`, for at most `timeoutMs`.
  /// Returns false at once on the saver's thread.
  bool flush(std::int64_t timeoutMs) EXCLUDES(mutex_);
  /// Stops calling `ready`. Waits for a call in progress, except for one that this thread is in.
  void close() EXCLUDES(mutex_);

  /// Does it belong to a cycle that is open, closed, or among the last that were saved?
  [[nodiscard]] bool has(std::int64_t launchNs, ProfilerActivity activity) const;
  /// The same for a host span, which must begin and end in the cycle.
  [[nodiscard]] bool hasSpan(std::int64_t beginNs, std::int64_t endNs) const EXCLUDES(mutex_);

  /// The output to which the session hands its replays.
  [[nodiscard]] std::unique_ptr<Output> collector();

private:
  struct Cycle;
  class Collector;
  using CyclePointer = std::shared_ptr<Cycle>;

  void go(std::optional<ProfilerAction> to) REQUIRES(steppingMutex_) EXCLUDES(mutex_);
  [[nodiscard]] ProfilerAction actionOf(std::int64_t step);
  [[nodiscard]] bool isPrepared() const EXCLUDES(mutex_);
  [[nodiscard]] CyclePointer made() EXCLUDES(mutex_);
  void prepare(const CyclePointer &cycle) REQUIRES(mutex_);
  void open(std::int64_t nowNs) noexcept REQUIRES(steppingMutex_, mutex_);
  [[nodiscard]] CyclePointer closed(std::int64_t nowNs) REQUIRES(steppingMutex_, mutex_);
  void queue(const CyclePointer &cycle, std::int64_t endNs, bool notify) EXCLUDES(mutex_);
  void save(const CyclePointer &cycle, bool notify) noexcept EXCLUDES(mutex_);
  void finish(const CyclePointer &cycle, bool notify) EXCLUDES(mutex_);
  void requestRecording() REQUIRES(steppingMutex_);

  template <class Thing, class CycleOf, class Add>
  static void byCycle(std::span<const Thing> things, CycleOf cycleOf, Add add);
  void write(const BatchView &view, const Replay &replay, std::span<const Batch::Timing> timings);
  void write(const BatchView &view, std::span<const Batch::Span> spans);
  void write(const MemoryEvent &event);
  [[nodiscard]] CyclePointer cycleOf(std::int64_t launchNs, ProfilerActivity activity) const
      EXCLUDES(mutex_);
  void add(const CyclePointer &cycle, const BatchView &view, std::span<const Batch::Span> spans)
      EXCLUDES(mutex_);
  void add(const CyclePointer &cycle, const BatchView &view, const Replay &replay,
           std::span<const Batch::Timing> timings);

  Session &session_;
  Saver &saver_;
  const std::function<std::int64_t()> now_; // called under mutex_, so that no launch is missed
  const Options options_;
  CycleBound bound_;
  const std::size_t maxWaiting_;

  Mutex steppingMutex_ ACQUIRED_BEFORE(mutex_); // held while the program starts, steps or stops
  // The current action, the step that it is for, and what the open cycle records.
  ProfilerAction action_ GUARDED_BY(steppingMutex_) = ProfilerAction::NONE;
  std::int64_t actionStep_ GUARDED_BY(steppingMutex_) = 0;
  Activities enabled_ GUARDED_BY(steppingMutex_);

  mutable Mutex mutex_; // never held for long
  Condition changed_;
  bool started_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  bool calling_ GUARDED_BY(mutex_) = false; // `ready` is being called
  std::int64_t stepNumber_ GUARDED_BY(mutex_) = 0;
  std::optional<Steps::Seen> steps_ GUARDED_BY(mutex_);
  std::uint64_t begun_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0; // cycles that are closed and not yet saved
  std::function<std::string()> nextTraceId_;
  CyclePointer current_ GUARDED_BY(mutex_); // prepared or open
  // Open and closed cycles, and the last ones that were saved; oldest first.
  std::deque<CyclePointer> known_ GUARDED_BY(mutex_);
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  Metadata metadata_ GUARDED_BY(mutex_), preset_ GUARDED_BY(mutex_);
  std::shared_ptr<const SavedCycle> saved_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_CYCLES_H
