// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timed program: chains of tiny kernels, captured with or without a region for each, and a
// count of the resulting records.

#ifndef GRAPHPROF_BENCHMARK_HOST_PROGRAM_H
#define GRAPHPROF_BENCHMARK_HOST_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <string>

#include <cuda_runtime.h>
#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

namespace benchmark::host {

/// Launches an empty kernel.
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

/// An exec of a chain of kernels, made with the program's own calls.
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

/// The same with a region for each kernel, made and launched with the redirected calls.
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

/// Captures a chain of kernels with a region for each.
cudaGraph_t captureTimed(cudaStream_t stream, int regions);

/// Counts records.
class Counter {
public:
  [[nodiscard]] std::uint64_t count() const { return count_.load(); }
  /// Waits for all records. Throws unless each of `replays` since the last check has `regions`
  /// records, or was counted as lost.
  void check(std::uint64_t replays, int regions, const std::string &what);

private:
  std::atomic<std::uint64_t> count_{0};
  std::uint64_t checked_ = 0, lost_ = graphprof::losses().overrun;
  graphprof::Profiler profiler_{
      [this](const graphprof::Record &) { count_.fetch_add(1, std::memory_order_relaxed); }};
};

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_PROGRAM_H
