// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The options, results and errors of graphprof/bench.h. Includes no CUDA header.
//
// Source: flashinfer.testing.bench_gpu_time_with_cudagraph (parameters and defaults), NVIDIA
// nvbench (clocks, entropy criterion).

#ifndef GRAPHPROF_BENCH_RESULT_H
#define GRAPHPROF_BENCH_RESULT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

struct CUstream_st; // cudaStream_t and CUstream are both CUstream_st *

namespace graphprof {
inline namespace v1 {

/// How the L2 cache is made cold before each iteration.
enum class cold_l2 : std::uint8_t {
  automatic, ///< rotation if the arguments allow it, otherwise flush
  rotation,  ///< each iteration has its own copy of the arguments' device memory; before a copy is
             ///< used again, others have pushed it out of the cache
  flush,     ///< a kernel reads twice the cache's size before each iteration, and is not timed
};

/// When to stop measuring.
enum class bench_stop : std::uint8_t {
  time,    ///< after `repeat_iters` replays, or `repeat_time_ms`: flashinfer's rule
  median,  ///< when the 95 % confidence interval of the median is within `relative_precision` of it
  entropy, ///< when the samples' entropy no longer grows: nvbench's criterion
};

/// The options of all functions of bench.h. The first group has flashinfer's names and defaults.
struct bench_options {
  std::optional<int> dry_run_iters; ///< replays that are not timed, after those that estimate how
                                    ///< long one takes; default: as many as fit into
                                    ///< `dry_run_time_ms`
  std::optional<int> repeat_iters; ///< for bench_stop::time: timed replays; default: as many as fit
                                   ///< into `repeat_time_ms` without their flushes
  int dry_run_time_ms = 25;
  int repeat_time_ms = 100;
  int num_iters_within_graph = 10; ///< calls captured into one graph
  bool sleep_after_run = false; ///< pause between timed replays, five times as long as one takes,
                                ///< at most a second
  bool cold_l2_cache = true;

  CUstream_st *stream = nullptr; ///< where the callable's work goes; null: to a stream that the
                                 ///< callable gets as its first argument
  cold_l2 cold_method = cold_l2::automatic;
  bench_stop stop = bench_stop::time;
  double relative_precision = 0.005; ///< for bench_stop::median: half the interval, over the median
  int max_time_ms = 5000;            ///< for bench_stop::median and entropy: give up then; with
                                     ///< bench_stop::time and without `repeat_iters`, end then
                                     ///< where flushes take longer than what is timed
  double min_sm_clock = 0.75;        ///< samples at less than this share of the device's highest SM
                                     ///< clock are discarded and counted, unless few would be
                                     ///< left; 0: none
  std::uint64_t bytes = 0;           ///< that one iteration moves, for `bytes_per_s`
  double flops = 0;                  ///< of one iteration, for `flops_per_s`
};

/// Why nothing could be measured.
enum class bench_fault : std::uint8_t {
  options,       ///< a value that makes no sense
  device,        ///< no device, or CUDA refused
  callable,      ///< the callable takes no stream, and none was given in the options
  nothing,       ///< captured no node: its work goes to another stream, or there is none
  synchronises,  ///< waits for the device or a stream, which cannot be captured
  allocates,     ///< calls cudaMalloc, cudaFree or the like, which cannot be captured
  legacy_stream, ///< uses the default stream
  unjoined,      ///< leaves work in another stream that its own does not wait for
  capture,       ///< cannot be captured for another reason
  memory,        ///< the copies do not fit into the device's memory
};

/// Thrown by the functions of bench.h. The text names the callable, what is wrong, and what to do.
class bench_error : public std::runtime_error {
public:
  bench_error(bench_fault fault, const std::string &text)
      : std::runtime_error(text), fault_(fault) {}
  [[nodiscard]] bench_fault fault() const noexcept { return fault_; }

private:
  bench_fault fault_;
};

/// How the time is taken.
enum class bench_timer : std::uint8_t {
  graph,  ///< CUDA events around the launch of a graph, over its iterations
  eager,  ///< CUDA events around each call
  stamps, ///< graphprof's stamps around each call inside a graph
};

/// What was measured. Times are milliseconds of one iteration.
struct bench_result {
  std::string name;
  std::string device; ///< its name, "NVIDIA H200"
  bench_timer timer = bench_timer::graph;

  std::vector<double> times_ms; ///< one sample a replay (eager, stamps: a call), in order, without
                                ///< the discarded ones
  std::vector<double> sm_clock_mhz; ///< mean SM clock during each of them; empty where unknown
  std::size_t discarded = 0;        ///< samples below `min_sm_clock`
  double median_ms = 0;
  double low_ms = 0, high_ms = 0; ///< 95 % confidence interval of the median
  double mean_ms = 0, stddev_ms = 0, min_ms = 0, max_ms = 0;
  double p5_ms = 0, p25_ms = 0, p75_ms = 0, p95_ms = 0, p99_ms = 0;
  bool converged = true; ///< false: `max_time_ms` came before the criterion was met
  double bytes_per_s = 0, flops_per_s = 0; ///< by the median; 0 where the options say nothing

  bool cold = false;                        ///< was the L2 cache cold?
  cold_l2 cold_method = cold_l2::automatic; ///< how; automatic: it was not made cold
  std::size_t l2_bytes = 0;                 ///< the cache's size
  std::size_t argument_bytes = 0;           ///< device memory of one copy of the arguments
  int copies = 1;                           ///< of the arguments, the originals included
  int graphs = 0;                           ///< that were replayed in turn; eager: 0
  std::size_t reuse_bytes = 0;  ///< bytes read or written between two uses of the same memory; the
                                ///< cache is cold if this is well above `l2_bytes`
  std::size_t memory_bytes = 0; ///< device memory that the measurement took

  int iterations_within_graph = 1;
  int dry_runs = 0;           ///< replays that were not timed, behind those that estimate
  std::size_t node_count = 0; ///< nodes that one call captured
  std::vector<std::string>
      nodes;                    ///< what those of them do that work: kernels' names, "Memset", ...
  double peak_sm_clock_mhz = 0; ///< the device's highest; 0 where unknown
  std::string throttle;         ///< NVML's reasons while it was measured, "none", "unknown"
  std::vector<std::string> warnings;
};

/// Whether one candidate is faster than the first.
enum class bench_verdict : std::uint8_t {
  undecided, ///< the interval contains 1, or the difference may be below the resolution
  faster,
  slower,
};

/// A candidate compared with the first one. Not a number if no turn gave the times of all.
struct bench_ratio {
  double ratio = 1;         ///< its time over the first one's; below 1 it is faster
  double low = 1, high = 1; ///< 99.5 % confidence interval
  bench_verdict verdict = bench_verdict::undecided;
};

/// What bench_compare found: each candidate's result, and its ratio to the first one.
struct bench_comparison {
  std::vector<bench_result> results;
  std::vector<bench_ratio> ratios; ///< the first is 1
};

/// The smallest relative difference that bench_compare reports, and the smallest of a call. Two
/// graphs of one kernel differ by less: on an H100 by up to 77 ns a call, for their whole life,
/// wherever the driver placed them.
inline constexpr double bench_resolution = 0.002;
inline constexpr double bench_resolution_ms = 0.0001;

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_BENCH_RESULT_H
