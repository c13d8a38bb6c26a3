// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One timer: two CUDA events around a piece of one stream's work. Inside a capture the events are
// external, so that they can be read after each replay. Includes no CUDA header.

#ifndef GRAPHPROF_TIMER_H
#define GRAPHPROF_TIMER_H

#include <cstdint>
#include <optional>

#include "graphprof/detail/export.h"

struct CUstream_st;
struct CUevent_st;

namespace graphprof {
inline namespace v1 {

/// Times a piece of one stream's work with two events of its own, outside graphs or inside a
/// capture. It reads what ran last: a replay of a graph that was captured with it, whichever that
/// was, or what it timed outside graphs. This is the simplest thing that is right. For many regions
/// in a graph, use GRAPHPROF_SCOPE, which costs a tenth.
///
///     graphprof::Timer timer;
///     { auto scope = timer.time(stream); kernel<<<grid, block, 0, stream>>>(x); }
///     if (auto ns = timer.elapsed_ns()) std::printf("%.3f us\n", *ns * 1e-3);
///
/// A graph that was captured with a timer records the timer's events, so the timer must outlive the
/// graph's last launch. All of its streams are of one device.
///
/// Source: Timer in the post "Transparent Profiling for PyTorch CUDA Graphs", with
/// cudaEventRecordExternal if the stream is being captured.
class GRAPHPROF_API Timer {
public:
  Timer() noexcept = default; ///< the events are made at the first start()
  ~Timer();
  Timer(Timer &&other) noexcept;
  Timer &operator=(Timer &&other) noexcept;
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  /// Records the first event in `stream`. In a capture, it also forgets what was timed outside
  /// graphs before. Returns false if CUDA refuses. The program's CUDA error state stays as it is.
  bool start(CUstream_st *stream) noexcept;
  /// Records the second event in `stream`. Returns false if CUDA refuses.
  bool stop(CUstream_st *stream) noexcept;

  /// Waits until everything that was recorded or launched so far has happened. Returns false if it
  /// cannot: nothing was recorded, or CUDA refuses. An event of a capture that was not launched yet
  /// counts as done, so ask after the launch. Safe while any stream is being captured, on any
  /// thread.
  bool synchronize() const noexcept;

  /// The time between the two events in nanoseconds, of the last replay or the last use outside
  /// graphs, whichever ended later on the device. Waits for the events. Empty if there is nothing
  /// to read: they were never recorded, or captured and not launched yet, or only one of the two is
  /// in a graph, or the device failed. The resolution is about 500 ns (cudaEventElapsedTime). Safe
  /// while any stream is being captured, on any thread.
  [[nodiscard]] std::optional<std::int64_t> elapsed_ns() const noexcept;

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
  /// A graph records events of its own: a replay happens without a call that the timer sees. So
  /// only the device knows whether it was after what ran outside graphs.
  struct Pair {
    CUevent_st *begin = nullptr, *end = nullptr; ///< each made at its first use
    bool complete = false;                       ///< both were recorded, and not forgotten since
  };
  GRAPHPROF_LOCAL static bool record(CUevent_st *&event, CUstream_st *stream,
                                     bool captured) noexcept;
  [[nodiscard]] GRAPHPROF_LOCAL static std::optional<double> elapsedMs(CUevent_st *from,
                                                                       CUevent_st *to) noexcept;

  Pair eager_, inGraph_;
  Pair *started_ = nullptr; ///< whose begin was recorded last
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_TIMER_H
