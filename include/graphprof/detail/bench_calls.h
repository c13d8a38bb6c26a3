// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The templates of graphprof/bench.h: callables and arguments lose their types here.

#ifndef GRAPHPROF_DETAIL_BENCH_CALLS_H
#define GRAPHPROF_DETAIL_BENCH_CALLS_H

#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "graphprof/bench.h"

namespace graphprof {
inline namespace v1 {
namespace detail {

template <class T, class = void> struct KnowsArgument : std::true_type {};
template <class T>
struct KnowsArgument<T, std::enable_if_t<bench_argument<T>::unknown>> : std::false_type {};

template <class T> void note(const T &argument, BenchWork &work) {
  if constexpr (KnowsArgument<T>::value)
    bench_argument<T>::ranges(argument, work.ranges);
  else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
    work.pointers.push_back(argument);
}

/// A bare pointer is moved where it leads into memory that another argument gives a size to.
template <class T> decltype(auto) moved(const T &argument, const device_moves *moves) {
  if constexpr (KnowsArgument<T>::value)
    return moves ? bench_argument<T>::moved(argument, *moves) : argument;
  else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
    return moves ? (*moves)(argument) : argument;
  else
    return (argument);
}

/// The runtime API works in the device's primary context; graphprof calls the driver, which has to
/// find it current.
inline void needContext() {
  const bool pending =
      ::cudaPeekAtLastError() != cudaSuccess; // the program's own, which it may ask for
  if (::cudaFree(nullptr) != cudaSuccess && !pending)
    (void)::cudaGetLastError();
}

} // namespace detail

template <class Function, class... Arguments>
detail::BenchWork bench_candidate(std::string name, Function &&fn,
                                  const std::tuple<Arguments...> &input_args) {
  using Callable = std::decay_t<Function>;
  constexpr bool takesStream = std::is_invocable_v<Callable &, cudaStream_t, const Arguments &...>;
  static_assert(takesStream || std::is_invocable_v<Callable &, const Arguments &...>,
                "graphprof: the callable takes neither (cudaStream_t, arguments...) nor "
                "(arguments...)");
  detail::needContext();
  detail::BenchWork work;
  work.name = std::move(name);
  work.takesStream = takesStream;
  work.peekError = [] { return static_cast<int>(::cudaPeekAtLastError()); };
  work.takeError = [] { return static_cast<int>(::cudaGetLastError()); };
  std::apply([&](const Arguments &...each) { (detail::note(each, work), ...); }, input_args);
  // Shared: std::function copies what it holds, which a callable need not allow.
  work.call = [callable = std::make_shared<Callable>(std::forward<Function>(fn)),
               input_args](CUstream_st *stream, const device_moves *moves) {
    std::apply(
        [&](const Arguments &...each) {
          if constexpr (takesStream)
            (void)(*callable)(stream, detail::moved(each, moves)...);
          else
            (void)(*callable)(detail::moved(each, moves)...);
        },
        input_args);
  };
  return work;
}
template <class Function> detail::BenchWork bench_candidate(std::string name, Function &&fn) {
  return bench_candidate(std::move(name), std::forward<Function>(fn), std::tuple<>());
}

template <class Function, class... Arguments>
bench_result bench(std::string name, Function &&fn, const std::tuple<Arguments...> &input_args,
                   const bench_options &options, bench_timer timer) {
  return detail::measure(bench_candidate(std::move(name), std::forward<Function>(fn), input_args),
                         options, timer);
}
template <class Function>
bench_result bench(std::string name, Function &&fn, const bench_options &options,
                   bench_timer timer) {
  return bench(std::move(name), std::forward<Function>(fn), std::tuple<>(), options, timer);
}

template <class Function, class... Arguments>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn,
                                                  const std::tuple<Arguments...> &input_args,
                                                  const bench_options &options) {
  return detail::measureRuns(
      bench_candidate("bench_gpu_time_with_cudagraph", std::forward<Function>(fn), input_args),
      options, bench_timer::graph);
}
template <class Function>
std::vector<double> bench_gpu_time_with_cudagraph(Function &&fn, const bench_options &options) {
  return bench_gpu_time_with_cudagraph(std::forward<Function>(fn), std::tuple<>(), options);
}
template <class Function, class... Arguments>
std::vector<double> bench_gpu_time(Function &&fn, const std::tuple<Arguments...> &input_args,
                                   const bench_options &options) {
  return detail::measureRuns(
      bench_candidate("bench_gpu_time", std::forward<Function>(fn), input_args), options,
      bench_timer::eager);
}
template <class Function>
std::vector<double> bench_gpu_time(Function &&fn, const bench_options &options) {
  return bench_gpu_time(std::forward<Function>(fn), std::tuple<>(), options);
}

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_BENCH_CALLS_H
