// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Benchmarks as a program: each is a function with axes of parameters, registered by a macro, and
// run by a main() with a command line (link graphprof::bench_main).
//
//     void copy(graphprof::bench_state &state) {
//       const auto bytes = static_cast<std::size_t>(state.get_int64("bytes"));
//       ... allocate x and y ...
//       state.add_global_memory_reads<char>(bytes);
//       state.add_global_memory_writes<char>(bytes);
//       state.exec([bytes](cudaStream_t stream, char *to, const char *from) {
//         cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
//       }, std::tuple(graphprof::DeviceSpan(x, bytes), graphprof::DeviceSpan(y, bytes)));
//     }
//     GRAPHPROF_BENCH(copy).add_int64_power_of_two_axis("bytes", {20, 24, 28});
//
// Source: NVIDIA nvbench, whose names it has.

#ifndef GRAPHPROF_BENCH_SUITE_H
#define GRAPHPROF_BENCH_SUITE_H

#include <string>
#include <tuple>
#include <utility>

#include "graphprof/bench.h"
#include "graphprof/bench_state.h"

namespace graphprof {
inline namespace v1 {

template <class Function, class... Arguments>
void bench_state::exec(Function &&fn, const std::tuple<Arguments...> &input_args) {
  measured(bench(name(), std::forward<Function>(fn), input_args, options, timer));
}
template <class Function> void bench_state::exec(Function &&fn) {
  exec(std::forward<Function>(fn), std::tuple<>());
}

} // namespace v1
} // namespace graphprof

/// Registers a function, named after it: the axes follow.
#define GRAPHPROF_BENCH(function)                                                                  \
  [[maybe_unused]] static ::graphprof::bench_definition &graphprofBench_##function =               \
      ::graphprof::register_bench(#function, function)

#endif // GRAPHPROF_BENCH_SUITE_H
