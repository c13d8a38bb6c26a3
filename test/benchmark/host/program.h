// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The program that is timed: chains of tiny kernels, captured with a region around each or with
// none, and the count of the records that came of them.

#ifndef GRAPHPROF_BENCHMARK_HOST_PROGRAM_H
#define GRAPHPROF_BENCHMARK_HOST_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <string>

#include <cuda_runtime.h>
#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

namespace benchmark::host {

/// A kernel that does nothing.
void launchNothing(cudaStream_t stream);

class Stream {
public:
  Stream();
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  operator cudaStream_t() const { return stream_; } // NOLINT(google-explicit-constructor)
  void synchronize() const;

private:
  cudaStream_t stream_ = nullptr;
};

/// An exec of a chain of kernels, made by the program's own calls.
class PlainExec {
public:
  PlainExec(cudaStream_t stream, int kernels);
  ~PlainExec();
  PlainExec(const PlainExec &) = delete;
  PlainExec &operator=(const PlainExec &) = delete;
  void launch(cudaStream_t stream) const;
  [[nodiscard]] cudaGraphExec_t get() const { return exec_; }

private:
  cudaGraphExec_t exec_ = nullptr;
};

/// The same, each kernel a region, made and launched by the calls that the tool puts in their
/// place.
class TimedExec {
public:
  TimedExec(cudaStream_t stream, int regions);
  ~TimedExec();
  TimedExec(const TimedExec &) = delete;
  TimedExec &operator=(const TimedExec &) = delete;
  void launch(cudaStream_t stream) const;
  [[nodiscard]] cudaGraphExec_t get() const { return exec_; }

private:
  cudaGraphExec_t exec_ = nullptr;
};

/// Captures a chain of kernels, each a region.
cudaGraph_t captureTimed(cudaStream_t stream, int regions);

/// Counts the records that it is handed.
class Counter {
public:
  [[nodiscard]] std::uint64_t count() const { return count_.load(); }
  /// Throws where since the last check not `regions` records came of each of `replays`, but for
  /// those replays that were counted as lost; once all are there.
  void check(std::uint64_t replays, int regions, const std::string &what);

private:
  std::atomic<std::uint64_t> count_{0};
  std::uint64_t checked_ = 0, lost_ = graphprof::losses().overrun;
  graphprof::Profiler profiler_{
      [this](const graphprof::Record &) { count_.fetch_add(1, std::memory_order_relaxed); }};
};

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_PROGRAM_H
