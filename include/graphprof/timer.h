// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One timer: two CUDA events around a piece of one stream's work. Inside a capture the events are
// external, so that they can be read after each replay. Includes no CUDA header.

#ifndef GRAPHPROF_TIMER_H
#define GRAPHPROF_TIMER_H

#include <cstdint>
#include <optional>

struct CUstream_st;
struct CUevent_st;

namespace graphprof {

/// Times a piece of one stream's work with two events of its own. Works eagerly and inside a
/// capture; there it reads the last replay. The simplest thing that is right: for many regions in a
/// graph use GRAPHPROF_SCOPE, whose cost is a tenth.
///
///     graphprof::Timer timer;
///     { auto scope = timer.time(stream); kernel<<<grid, block, 0, stream>>>(x); }
///     if (auto ns = timer.elapsedNs()) std::printf("%.3f us\n", *ns * 1e-3);
///
/// A graph that was captured with a timer records its events: the timer outlives the graph's last
/// launch.
///
/// Source: Timer in the post "Transparent Profiling for PyTorch CUDA Graphs", with
/// cudaEventRecordExternal where the stream is being captured.
class Timer {
public:
  Timer() noexcept = default; ///< the events are made at the first start()
  ~Timer();
  Timer(Timer &&other) noexcept;
  Timer &operator=(Timer &&other) noexcept;
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  /// Records the first event in `stream`. From a capture on, what is read is the last replay.
  /// Returns false where CUDA refuses; the program's own error state is untouched.
  bool start(CUstream_st *stream) noexcept;
  /// Records the second event in `stream`; false where CUDA refuses.
  bool stop(CUstream_st *stream) noexcept;

  /// Waits until both events have happened. False if they cannot: not recorded, or CUDA refuses.
  /// An event of a capture that was not launched yet counts as done, so ask after the launch. Safe
  /// while any stream is being captured, on any thread.
  bool synchronize() const noexcept;

  /// In nanoseconds: the time between the two events, as of the last replay. Waits for them. Empty
  /// where there is nothing to read: never recorded, captured and not launched yet, the device
  /// failed. Resolution about 500 ns (cudaEventElapsedTime). Safe while any stream is being
  /// captured, on any thread.
  [[nodiscard]] std::optional<std::int64_t> elapsedNs() const noexcept;

  /// Stops the timer at the end of a scope.
  class [[nodiscard]] Running {
  public:
    Running(Timer &timer, CUstream_st *stream) noexcept : timer_(timer), stream_(stream) {
      timer_.start(stream_);
    }
    ~Running() { timer_.stop(stream_); }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

  private:
    Timer &timer_;
    CUstream_st *stream_;
  };
  /// Times the scope that holds the returned guard.
  Running time(CUstream_st *stream) noexcept { return Running(*this, stream); }

private:
  /// A graph records its own event: what ran outside of graphs does not pass for a replay.
  struct Mark {
    CUevent_st *eager = nullptr, *inGraph = nullptr; ///< each made at its first use
    bool captured = false;                           ///< which of them was recorded last
    [[nodiscard]] CUevent_st *event() const noexcept { return captured ? inGraph : eager; }
  };
  static bool record(Mark &mark, CUstream_st *stream) noexcept;

  Mark begin_, end_;
};

} // namespace graphprof

#endif // GRAPHPROF_TIMER_H
