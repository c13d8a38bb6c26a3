// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One candidate, ready to be timed again and again: its copies, graphs and events. The caller
// decides when and how long it is timed.

#ifndef GRAPHPROF_BENCH_SUBJECT_H
#define GRAPHPROF_BENCH_SUBJECT_H

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/Capture.h"
#include "bench/Coldness.h"
#include "bench/Copies.h"
#include "bench/Gpu.h"
#include "bench/HeldReplays.h"
#include "bench/Work.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// A run is what is timed at once: a replay of one of the graphs or, without graphs, a call.
class Subject {
public:
  /// Calls `work` three times, and makes its graphs. The references must outlive it. Throws
  /// bench_error, and what the callable throws.
  Subject(Gpu &gpu, const Work &work, const bench_options &options, bench_timer timer,
          const Coldness &coldness);
  ~Subject();
  Subject(const Subject &) = delete;
  Subject &operator=(const Subject &) = delete;

  /// How many runs can be outstanding.
  static constexpr std::size_t slots = 32;
  /// Enqueues a run. When the stream has been waited for, read(slot) returns its times.
  void enqueue(std::size_t slot);
  /// What a run gave.
  struct Reading {
    /// In ms for each iteration: one time, or with stamps one for each call. Empty: they were lost.
    std::vector<double> ms;
    std::optional<HeldReplay> replay; ///< with stamps
  };
  [[nodiscard]] Reading read(std::size_t slot);
  /// Waits for graphprof's own records if read() needs them.
  void settle();

  [[nodiscard]] bench_timer timer() const { return result_.timer; }
  /// What is known before the measurement.
  [[nodiscard]] const bench_result &described() const { return result_; }
  [[nodiscard]] const std::string &name() const { return work_.name; }
  /// The number of nodes in a run.
  [[nodiscard]] std::size_t nodesOfRun() const;
  /// After so many runs, each of its graphs and copies was used.
  [[nodiscard]] std::size_t runsToUseAll() const;

private:
  struct Replays;
  // A member of its own, so that it is destroyed even if the constructor throws.
  struct Handles {
    explicit Handles(Gpu &gpu) : gpu(gpu) {}
    ~Handles();
    Handles(const Handles &) = delete;
    Handles &operator=(const Handles &) = delete;

    Gpu &gpu;
    std::vector<driver::Exec> execs;
    std::vector<driver::Event> events; // two for each slot
    bool stamps = false;
  };

  void describe(const Coldness &coldness);
  void warmUp();
  void captureAll();
  void captureOne(bool apart);
  void instantiate(CapturedGraph graph);
  void issue(std::size_t call);
  void enqueueTimed(std::size_t slot);

  Gpu &gpu_;
  const Work &work_;
  const bench_options &options_;
  bench_result result_;
  const bool flush_;
  int graphs_ = 1;                   // to make
  bool byEvents_ = false;            // although stamps were requested
  std::unique_ptr<Replays> replays_; // only with stamps
  Copies copies_;
  Handles handles_;
  std::size_t nextCall_ = 0; // the next copy
  std::size_t nextExec_ = 0;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_SUBJECT_H
