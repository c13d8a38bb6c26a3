// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One candidate, ready to be timed again and again: its copies, graphs and events. When it is
// timed, and for how long, is decided above.

#ifndef GRAPHPROF_BENCH_SUBJECT_H
#define GRAPHPROF_BENCH_SUBJECT_H

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/Capture.h"
#include "bench/Copies.h"
#include "bench/Gpu.h"
#include "graphprof/bench_result.h"
#include "graphprof/profiler.h"

namespace graphprof::bench_detail {

/// A run is what is timed at once: a replay of one of the graphs, or without a graph a call.
class Subject {
public:
  /// Chooses how the cache is made cold, calls `work` three times, and makes its graphs. All three
  /// outlive it. Throws bench_error, and what the callable throws.
  Subject(Gpu &gpu, const detail::BenchWork &work, const bench_options &options, bench_timer timer);
  ~Subject();
  Subject(const Subject &) = delete;
  Subject &operator=(const Subject &) = delete;

  /// Runs that can be out at once.
  static constexpr std::size_t slots = 32;
  /// Enqueues a run; its times are read by that slot, after the stream was waited for.
  void enqueue(std::size_t slot);
  /// The times of a slot's run, ms an iteration: one, or with stamps one for each call. None where
  /// they were lost.
  [[nodiscard]] std::vector<double> read(std::size_t slot);
  /// Where read() has to wait for graphprof's own records first.
  void settle();

  [[nodiscard]] bench_timer timer() const { return result_.timer; }
  /// What is known before anything is measured.
  [[nodiscard]] const bench_result &described() const { return result_; }
  [[nodiscard]] const std::string &name() const { return work_.name; }
  /// Nodes of a run.
  [[nodiscard]] std::size_t nodesOfRun() const;

private:
  struct Replays;
  // Destroyed also where the constructor throws.
  struct Handles {
    explicit Handles(Gpu &gpu) : gpu(gpu) {}
    ~Handles();
    Handles(const Handles &) = delete;
    Handles &operator=(const Handles &) = delete;

    Gpu &gpu;
    std::vector<driver::Exec> execs;
    std::vector<driver::Event> events; // two a slot
    bool stamps = false;
  };

  void choose();
  void warmUp();
  void chooseFlush(std::string_view why);
  void captureAll();
  void captureOne(bool apart);
  void instantiate(CapturedGraph graph);
  void issue(std::size_t call);
  void enqueueTimed(std::size_t slot);

  Gpu &gpu_;
  const detail::BenchWork &work_;
  const bench_options &options_;
  bench_result result_;
  bool flush_ = false;
  bool byEvents_ = false;            // where stamps were asked for
  std::unique_ptr<Replays> replays_; // with stamps
  Copies copies_;
  Handles handles_;
  std::size_t nextCall_ = 0; // which copy comes next
  std::size_t nextExec_ = 0;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_SUBJECT_H
