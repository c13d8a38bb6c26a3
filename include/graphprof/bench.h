// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long a piece of GPU work takes. A callable is captured into CUDA graphs, which are replayed
// and timed, with a cold or a warm L2 cache. The result says what was measured, and how.
//
// Source: flashinfer.testing.bench_gpu_time_with_cudagraph.

#ifndef GRAPHPROF_BENCH_H
#define GRAPHPROF_BENCH_H

#include <string>
#include <tuple>
#include <vector>

#include "graphprof/bench_result.h"
#include "graphprof/detail/bench_work.h"
#include "graphprof/detail/export.h"
#include "graphprof/device_span.h"

namespace graphprof {
inline namespace v1 {

/// Times `fn`, called with `input_args`, in replayed graphs of `num_iters_within_graph` calls each.
/// If `fn` takes a stream as its first argument, it gets the stream to work in. Device memory among
/// the arguments (DeviceSpan, or a type for which bench_argument is specialised) is rotated through
/// copies, so that each call finds a cold cache. Results go to the copies, too.
///
///     auto times = graphprof::bench_gpu_time_with_cudagraph(
///         [](cudaStream_t stream, float *x, const float *y) { add<<<b, t, 0, stream>>>(x, y); },
///         std::tuple(graphprof::DeviceSpan(x, n), graphprof::DeviceSpan(y, n)));
///
/// Returns milliseconds of one iteration, one value for each replay, as flashinfer does: also where
/// the cache is flushed instead, and stamps time each call. Prints each warning on stderr, once in
/// the process. bench() returns the warnings and all that is known. Throws bench_error, and what
/// `fn` throws. Uses the calling thread's device, and waits for it.
template <class Function, class... Arguments>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn,
                                                  const std::tuple<Arguments...> &input_args,
                                                  const bench_options &options = {});
template <class Function>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn, const bench_options &options = {});

/// The same without a graph, with events around each call: one value for each call. The time
/// includes launches if the GPU waits for them. Source: flashinfer.testing.bench_gpu_time.
template <class Function, class... Arguments>
std::vector<double> bench_gpu_time(Function &&fn, const std::tuple<Arguments...> &input_args,
                                   const bench_options &options = {});
template <class Function>
std::vector<double> bench_gpu_time(Function &&fn, const bench_options &options = {});

/// One measurement with `timer`, named for messages and outputs. bench_timer::stamps times each
/// call inside the graph by itself, and each is a sample. graphprof must be active for that.
/// bench_timer::graph becomes bench_timer::stamps if the cache is flushed; the result says so.
/// While graphprof records, its outputs get a record of each sample, and of no warm-up.
///
///     const auto result = graphprof::bench("add", add, std::tuple(graphprof::DeviceSpan(x, n)));
///     std::printf("%.3f us\n", 1000 * result.median_ms);
template <class Function, class... Arguments>
bench_result bench(std::string name, Function &&fn, const std::tuple<Arguments...> &input_args,
                   const bench_options &options = {}, bench_timer timer = bench_timer::graph);
template <class Function>
bench_result bench(std::string name, Function &&fn, const bench_options &options = {},
                   bench_timer timer = bench_timer::graph);

/// A callable with its arguments and name, for bench_compare.
template <class Function, class... Arguments>
detail::BenchWork bench_candidate(std::string name, Function &&fn,
                                  const std::tuple<Arguments...> &input_args);
template <class Function> detail::BenchWork bench_candidate(std::string name, Function &&fn);

/// Measures several candidates in turns (a b b a), so that drifting clocks and temperatures cancel
/// out. The options hold for each candidate, as in bench(): each gets `dry_run_iters` dry runs and
/// `repeat_iters` samples, or on average as many as fit into its times. With bench_stop::median it
/// ends when every ratio's interval is narrower than twice `relative_precision`, with
/// bench_stop::entropy when the samples of each candidate meet that criterion, or after
/// `max_time_ms`. If the cache must be flushed for one candidate, it is flushed for all. Throws as
/// bench() does.
GRAPHPROF_API bench_comparison bench_compare(const std::vector<detail::BenchWork> &candidates,
                                             const bench_options &options = {});

} // namespace v1
} // namespace graphprof

#include "graphprof/detail/bench_calls.h"

#endif // GRAPHPROF_BENCH_H
