// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A profiler's life from step to step: which action comes next, what is recorded, and what becomes
// of it. This is torch.profiler's state machine; the tables are Transitions.h's.
//
//   state of a cycle | from           | to
//   -----------------+----------------+------------------------------------------------------
//   prepared         | P              | S; launches are timed already, and thrown away
//   open             | S              | X; what is launched now is the cycle's
//   closed           | X, end noted   | everything launched before its end was handed on
//   saved            | the saver      | it is the trace that is shown; at T on_trace_ready gets it
//
// What belongs to a cycle is decided by when it was *launched*, on the host: an open interval is
// two times, and a record that arrives much later still finds its cycle. A host span belongs to the
// cycle in which it began and ended, if there is one. One cycle ends and the next one begins at the
// same time, read under the lock under which records look for theirs: whatever is launched while
// either is open is in one of them. So a step takes a lock that is never held for long, notes a
// time and goes on: it waits for no device, no output and no harvest, and makes no CUDA call.
//
// Threads and races:
// - The program's threads start, step and stop, one at a time. The program's own functions (its
//   schedule, its trace ids) are called on them.
// - The harvest thread writes to the cycles; it takes mutex_ to find one, then the lock
//   of the cycle's data.
// - The saver's thread takes a closed cycle's records, and calls on_trace_ready. What comes later
//   (a region outside graphs that was still open when its cycle ended) is counted as dropped.

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
#include "session/Session.h"
#include "session/cycles/CycleData.h"
#include "session/cycles/Intervals.h"
#include "session/cycles/SavedCycle.h"
#include "session/cycles/Saver.h"
#include "session/cycles/Steps.h"

namespace graphprof {

class Cycles : public std::enable_shared_from_this<Cycles> {
public:
  struct Options {
    std::function<ProfilerAction(std::int64_t)> schedule; ///< empty: RECORD, always
    Activities activities = Activities::all();
    bool accumulate = false;
    bool hostSpans = true;                ///< with CPU, what the program's threads do is kept too
    bool memory = false;                  ///< allocations and frees too
    std::function<std::string()> traceId; ///< empty: a random one
    std::function<void(const std::shared_ptr<const SavedCycle> &)> ready; ///< may be empty
    /// Called where a cycle ends, before its end is noted: hands on what this thread holds back.
    std::function<void()> handOn;
    std::string name; ///< of the program's functions, in messages
  };

  /// `now` is the host's time, in which launches are noted too.
  Cycles(Session &session, Saver &saver, std::function<std::int64_t()> now, Options options);
  Cycles(const Cycles &) = delete;
  Cycles &operator=(const Cycles &) = delete;

  /// start() while started and stop() while stopped do nothing; step() counts in either state, as
  /// torch.profiler's does.
  void start() EXCLUDES(mutex_, steppingMutex_);
  void step() EXCLUDES(mutex_, steppingMutex_);
  void stop() EXCLUDES(mutex_, steppingMutex_);
  /// The step has ended and the next one has not begun: where it was the last of its cycle, that is
  /// saved now.
  void rest() EXCLUDES(steppingMutex_);
  /// Before the first start(): the process's step `seen.first` is the profiler's step 0. Called
  /// again, it does nothing.
  void numberSteps(Steps::Seen seen) EXCLUDES(mutex_);
  [[nodiscard]] Steps::Seen steps() const EXCLUDES(mutex_);
  /// While a cycle is open: from now on, until it ends, these are recorded, or not.
  void toggle(bool enable, Activities activities) EXCLUDES(mutex_, steppingMutex_);

  [[nodiscard]] std::int64_t stepNumber() const EXCLUDES(mutex_);
  [[nodiscard]] bool started() const EXCLUDES(mutex_);
  /// How many cycles were begun.
  [[nodiscard]] std::uint64_t begun() const EXCLUDES(mutex_);

  /// For the trace that is being recorded, or else the next one; or for every one from its start
  /// on.
  void metadata(std::string key, std::string json) EXCLUDES(mutex_);
  void presetMetadata(std::string key, std::string json) EXCLUDES(mutex_);
  void traceIdFrom(std::function<std::string()> callback) EXCLUDES(mutex_);
  /// Of the cycle that is prepared, open, or was saved last; empty where there is none.
  [[nodiscard]] std::string traceId() const EXCLUDES(mutex_);

  /// What was saved last; never null.
  [[nodiscard]] std::shared_ptr<const SavedCycle> saved() const EXCLUDES(mutex_);
  /// Waits until every cycle that has ended was saved and handed to `ready`, at most `timeoutMs`.
  /// False at once on the saver's thread.
  bool flush(std::int64_t timeoutMs) EXCLUDES(mutex_);
  /// From now on `ready` is not called any more. Waits for a call under way, but for one that this
  /// thread is in.
  void close() EXCLUDES(mutex_);

  /// Does it belong to a cycle that is open or not yet saved?
  [[nodiscard]] bool has(std::int64_t launchNs, ProfilerActivity activity) const;
  /// The same for a host span, which has to have begun and ended in it.
  [[nodiscard]] bool has(const HostSpan &span) const EXCLUDES(mutex_);

  /// What the session hands its replays to.
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
  void wish() REQUIRES(steppingMutex_);

  void write(const Replay &replay);
  void write(const MemoryEvent &event);
  [[nodiscard]] CyclePointer cycleOf(std::int64_t launchNs, ProfilerActivity activity) const
      EXCLUDES(mutex_);
  void write(std::span<const HostSpan> spans);
  void add(const CyclePointer &cycle, std::span<const HostSpan> spans) EXCLUDES(mutex_);
  void add(const CyclePointer &cycle, const Replay &replay, std::span<const Record> records);

  Session &session_;
  Saver &saver_;
  const std::function<std::int64_t()> now_; // asked under mutex_, so that no launch is missed
  const Options options_;
  CycleBound bound_;
  const std::size_t maxWaiting_;

  Mutex steppingMutex_ ACQUIRED_BEFORE(mutex_); // held while the program's thread steps
  // What is done now, since which step, and what the open cycle records.
  ProfilerAction action_ GUARDED_BY(steppingMutex_) = ProfilerAction::NONE;
  std::int64_t actionStep_ GUARDED_BY(steppingMutex_) = 0;
  Activities enabled_ GUARDED_BY(steppingMutex_);

  mutable Mutex mutex_; // held for a moment only
  Condition changed_;
  bool started_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  bool calling_ GUARDED_BY(mutex_) = false; // `ready` runs
  std::int64_t stepNumber_ GUARDED_BY(mutex_) = 0;
  std::optional<Steps::Seen> steps_ GUARDED_BY(mutex_);
  std::uint64_t begun_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0; // cycles that are closed and not saved
  std::function<std::string()> nextTraceId_;
  CyclePointer current_ GUARDED_BY(mutex_); // prepared or open
  // open, closed, and the last ones that were saved; oldest first
  std::deque<CyclePointer> known_ GUARDED_BY(mutex_);
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  Metadata metadata_ GUARDED_BY(mutex_), preset_ GUARDED_BY(mutex_);
  std::shared_ptr<const SavedCycle> saved_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_CYCLES_H
