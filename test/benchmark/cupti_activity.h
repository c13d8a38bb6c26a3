// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUPTI's activity records of kernels and memsets. CUPTI is found at run time.

#ifndef GRAPHPROF_BENCHMARK_CUPTI_ACTIVITY_H
#define GRAPHPROF_BENCHMARK_CUPTI_ACTIVITY_H

#include <cstdint>
#include <vector>

namespace benchmark {

/// What ran on the device.
struct CuptiSpan {
  std::uint64_t beginNs, endNs;
  std::uint64_t node; ///< of a graph: CUPTI's id; larger for nodes that were made later
};

/// There is one in the process, attached from the first call of get() on. Functions throw
/// std::runtime_error with CUPTI's result, or if there is no libcupti.so.13.
class CuptiActivity {
public:
  static CuptiActivity &get();
  virtual ~CuptiActivity() = default;

  virtual void switchOn() = 0;
  virtual void switchOff() = 0;
  /// What ran since switchOn() or the last call, in order of begin. The GPU is idle.
  virtual std::vector<CuptiSpan> takeSpans() = 0;
};

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_CUPTI_ACTIVITY_H
