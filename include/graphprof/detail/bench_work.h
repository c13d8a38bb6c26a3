// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is measured, without its types: the seam between graphprof/bench.h, which is compiled with
// the program's types and runtime API, and libgraphprof. Not for programs to use but for
// device_ranges and device_moves.

#ifndef GRAPHPROF_DETAIL_BENCH_WORK_H
#define GRAPHPROF_DETAIL_BENCH_WORK_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphprof/bench_result.h"
#include "graphprof/detail/export.h"
#include "graphprof/device_span.h"

struct CUstream_st;

namespace graphprof {
inline namespace v1 {

class GRAPHPROF_API device_ranges {
public:
  struct Range {
    std::uintptr_t begin, end;
  };

  /// `bytes` from `data` on; null or none are left out.
  void add(const void *data, std::size_t bytes);
  [[nodiscard]] bool contains(const void *pointer) const noexcept;
  /// Sorted, none overlapping another.
  [[nodiscard]] const std::vector<Range> &all() const noexcept { return ranges_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

private:
  std::vector<Range> ranges_;
};

class GRAPHPROF_API device_moves {
public:
  /// `bases[i]` is where range i of `ranges` lies.
  device_moves(const device_ranges &ranges, std::vector<std::uintptr_t> bases)
      : ranges_(&ranges), bases_(std::move(bases)) {}

  /// The same place in the copy; a pointer into none of the ranges is returned as it is.
  template <class T> T *operator()(T *pointer) const {
    return reinterpret_cast<T *>(moved(reinterpret_cast<std::uintptr_t>(pointer)));
  }

private:
  [[nodiscard]] std::uintptr_t moved(std::uintptr_t address) const noexcept;

  const device_ranges *ranges_;
  std::vector<std::uintptr_t> bases_;
};

template <class T> struct bench_argument<DeviceSpan<T>> {
  static void ranges(const DeviceSpan<T> &span, device_ranges &all) {
    all.add(span.lowest(), span.extent_bytes());
  }
  static DeviceSpan<T> moved(const DeviceSpan<T> &span, const device_moves &moves) {
    return span.at(moves(span.data()));
  }
};

namespace detail {

/// A callable with its arguments.
struct BenchWork {
  std::string name;
  device_ranges ranges;
  /// Of arguments that are bare pointers: they may lead to device memory that nobody knows the size
  /// of.
  std::vector<const void *> pointers;
  /// Calls it with its arguments, moved where `moves` is not null. False where it takes no stream.
  std::function<void(CUstream_st *stream, const device_moves *moves)> call;
  bool takesStream = true;
  /// The runtime API's last error, 0 where there is none; takeError() forgets it.
  int (*peekError)() = nullptr;
  int (*takeError)() = nullptr;
};

/// What bench() does.
GRAPHPROF_API bench_result measure(const BenchWork &work, const bench_options &options,
                                   bench_timer timer);
/// What the functions do that return times only: one time for each replay or call, whichever way it
/// was timed. Warnings go to stderr.
GRAPHPROF_API std::vector<double> measureRuns(const BenchWork &work, const bench_options &options,
                                              bench_timer timer);

} // namespace detail

GRAPHPROF_API bench_comparison bench_compare(const std::vector<detail::BenchWork> &candidates,
                                             const bench_options &options);

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_BENCH_WORK_H
