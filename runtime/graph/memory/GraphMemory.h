// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What each graph's capture, instantiation and first launch took of the device's memory, with
// GRAPHPROF_GRAPH_MEMORY: who follows the program's calls says when each begins and ends. What
// graphprof takes itself, also while one of these lasts, is a step of its own and in no other.
// Knows handles of graphs and execs, and nothing of how they are timed.
//
// A step is done when its graph has a number: a capture with the first exec of its graph, or, with
// the number 0, when its graph goes. It is handed on later, by a call of the program's that holds
// no lock of a pair.

#ifndef GRAPHPROF_GRAPH_MEMORY_GRAPHMEMORY_H
#define GRAPHPROF_GRAPH_MEMORY_GRAPHMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "Mutex.h"
#include "cuda/DriverApi.h"
#include "graph/memory/Stretches.h"
#include "output/data/GraphMemory.h"

namespace graphprof {

class ReplaySink;
struct Counters;
class Services;

/// What all graphs took until now.
struct GraphMemoryTotals {
  std::uint64_t captures = 0, execs = 0;
  std::int64_t captureBytes = 0, instantiateBytes = 0, firstLaunchBytes = 0, otherBytes = 0,
               poolBytes = 0, ownBytes = 0;
};

/// Any thread may call any member. Where memory for an entry is short, its step is counted as
/// dropped.
class GraphMemory {
public:
  using What = GraphMemoryStep::What;
  GraphMemory(Services &services, ReplaySink &sink) noexcept;

  /// Nothing else is called otherwise.
  [[nodiscard]] bool isOn() const noexcept { return isOn_; }
  [[nodiscard]] GraphMemoryTotals totals() const EXCLUDES(mutex_);

  /// A part of this thread's work that is graphprof's own: what it takes is in no step of the
  /// program's.
  class OwnPart {
  public:
    /// Null: nothing is measured.
    explicit OwnPart(GraphMemory *memory) noexcept;
    ~OwnPart();
    OwnPart(const OwnPart &) = delete;
    OwnPart &operator=(const OwnPart &) = delete;
    /// What it took.
    [[nodiscard]] Stretches::Taken end() noexcept;

  private:
    GraphMemory *const memory_;
    Stretches::Stretch stretch_;
  };
  /// What a part of graphprof's own took, for the graph of that number.
  void own(const Stretches::Taken &taken, std::uint64_t graph) noexcept EXCLUDES(mutex_);

  // Captures: into `graph`, which is known at the begin.
  void captureBegan(driver::Stream stream, driver::Graph graph) noexcept EXCLUDES(mutex_);
  void addOwn(driver::Stream stream, std::int64_t bytes) noexcept EXCLUDES(mutex_);
  /// The thread that captures `stream` allocated that outside the graph.
  void allocated(driver::Stream stream, std::size_t bytes) noexcept EXCLUDES(mutex_);
  /// Returns the graph; null: none came of it.
  driver::Graph captureEnded(driver::Stream stream, bool succeeded) noexcept EXCLUDES(mutex_);
  void addOwn(driver::Graph graph, std::int64_t bytes) noexcept EXCLUDES(mutex_);
  void graphGoes(driver::Graph graph) noexcept EXCLUDES(mutex_);
  /// Hands on the steps that are done. Takes the locks of the outputs.
  void handOn() noexcept EXCLUDES(mutex_);
  /// Does so with the captures, too, that never became an exec. At exit.
  void finish() noexcept EXCLUDES(mutex_);

  // A call of this thread, of which the program's part lasts from begins() to ends(). `ownBytes`:
  // what graphprof took before.
  void begins(std::int64_t ownBytes) noexcept;
  void ends() noexcept;
  /// What ended was that of the graph of this number. `ownBytes`: what graphprof took behind it.
  /// `graph`: of which an exec was made; null: of none.
  void instantiated(driver::Exec exec, driver::Graph graph, std::uint64_t number,
                    std::int64_t ownBytes) noexcept EXCLUDES(mutex_);
  void done(What what, std::uint64_t number, std::int64_t ownBytes) noexcept EXCLUDES(mutex_);
  void failed() noexcept;

  // Launches. Whether `exec` has not been launched yet, and this launch is measured: the program's
  // exec has to be launched, and launched() called if it was.
  [[nodiscard]] bool launches(driver::Exec exec, driver::Stream stream) noexcept EXCLUDES(mutex_);
  void launched(driver::Exec exec) noexcept EXCLUDES(mutex_);
  void execGoes(driver::Exec exec) noexcept EXCLUDES(mutex_);
  /// The number of the graph of an exec that was instantiated; 0: unknown.
  [[nodiscard]] std::uint64_t numberOf(driver::Exec exec) noexcept EXCLUDES(mutex_);

  /// graphprof has made an exec of its own for the graph of this number, and launches or uploads it
  /// next, for the first time. ownExecUsed() must follow on this thread.
  void ownExecMade(std::uint64_t number) noexcept;
  void ownExecUsed() noexcept EXCLUDES(mutex_);

private:
  struct Captured {
    driver::Graph graph = nullptr;
    Stretches::Stretch stretch;
    GraphMemoryStep step;
    std::int64_t ownBytes = 0;
  };
  void add(const GraphMemoryStep &step) noexcept EXCLUDES(mutex_);
  void add(const Captured &captured, std::uint64_t number) noexcept EXCLUDES(mutex_);
  void add(What what, const Stretches::Taken &taken, std::uint64_t number) noexcept
      EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Captured> take(driver::Graph graph) noexcept EXCLUDES(mutex_);
  // `work` makes an entry.
  template <class Work> void keep(Work work) noexcept;

  const bool isOn_;
  Counters &counters_;
  ReplaySink &sink_;
  Stretches stretches_;

  struct Exec {
    std::uint64_t number;
    bool launched;
  };
  mutable Mutex mutex_; // nothing is called while it is held
  std::unordered_map<driver::Stream, Captured> capturing_ GUARDED_BY(mutex_);
  std::unordered_map<driver::Graph, Captured> captured_ GUARDED_BY(mutex_); // without an exec
  std::unordered_map<driver::Exec, Exec> execs_ GUARDED_BY(mutex_);
  std::atomic<std::size_t> waiting_{0}; // so many of execs_ were not launched; set under mutex_
  GraphMemoryTotals totals_ GUARDED_BY(mutex_);
  std::vector<GraphMemoryStep> done_ GUARDED_BY(mutex_); // not handed on yet
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_MEMORY_GRAPHMEMORY_H
