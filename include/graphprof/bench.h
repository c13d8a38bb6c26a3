// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long a piece of GPU work takes: a callable is captured into CUDA graphs, replayed, and timed,
// with a cold or a warm L2 cache. What was measured, and how, is in the result.
//
// Source: flashinfer.testing.bench_gpu_time_with_cudagraph.

#ifndef GRAPHPROF_BENCH_H
#define GRAPHPROF_BENCH_H

#include <string>
#include <tuple>
#include <vector>

#include "graphprof/bench_result.h"
#include "graphprof/detail/bench_work.h"
#include "graphprof/device_span.h"

namespace graphprof {

/// Times `fn`, called with `input_args`, in replayed graphs of `num_iters_within_graph` calls each.
/// Where `fn` takes a stream as its first argument, it gets the one to work in. Device memory among
/// the arguments (DeviceSpan, or what bench_argument is specialised for) is rotated through copies,
/// so that each call finds a cold cache; results go to the copies, too.
///
///     auto times = graphprof::bench_gpu_time_with_cudagraph(
///         [=](cudaStream_t stream, float *x, const float *y) { add<<<n / 256, 256, 0, stream>>>(x,
///         y); }, std::tuple(graphprof::DeviceSpan(x, n), graphprof::DeviceSpan(y, n)));
///
/// Returns milliseconds an iteration, one for each replay, as flashinfer does; bench() returns the
/// same with all that is known about it. Throws bench_error, and what `fn` throws. The calling
/// thread's device is used, and waited for.
template <class Function, class... Arguments>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn,
                                                  const std::tuple<Arguments...> &input_args,
                                                  const bench_options &options = {});
template <class Function>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn, const bench_options &options = {});

/// The same without a graph: events around each call. Launches are part of the time where the GPU
/// waits for them. Source: flashinfer.testing.bench_gpu_time.
template <class Function, class... Arguments>
std::vector<double> bench_gpu_time(Function &&fn, const std::tuple<Arguments...> &input_args,
                                   const bench_options &options = {});
template <class Function>
std::vector<double> bench_gpu_time(Function &&fn, const bench_options &options = {});

/// One measurement of `timer`'s kind, named for messages and outputs. bench_timer::stamps times
/// each call inside the graph by itself; graphprof must be active, and its outputs get a record of
/// each.
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

/// Measures several candidates interleaved (a b b a), so that drifting clocks and temperatures
/// cancel out, until `repeat_time_ms` for each has passed (bench_stop::time) or, with
/// bench_stop::median, until every ratio's interval is narrower than twice `relative_precision`, at
/// most `max_time_ms`. The options are those of each candidate. Throws as bench() does.
bench_comparison bench_compare(const std::vector<detail::BenchWork> &candidates,
                               const bench_options &options = {});

} // namespace graphprof

#include "graphprof/detail/bench_calls.h"

#endif // GRAPHPROF_BENCH_H
