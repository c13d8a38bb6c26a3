// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many of graphprof's own driver calls a piece of work makes, and how long they take: what is
// left is graphprof's own. On the simulation that tells graphprof's cost from the simulation's; on
// a GPU from the driver's.
//
// It stands between libgraphprof and the driver, in the table of functions through which every call
// of the library's goes. Only this thread's calls count.

#ifndef GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H
#define GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H

#include <cstdint>

namespace benchmark::host {

/// What this thread's calls of the driver took since reset().
struct DriverCalls {
  std::int64_t count = 0;
  std::int64_t ticks = 0;

  static DriverCalls &ofThisThread();
  static void reset() { ofThisThread() = {}; }
  /// What metering a call adds outside of what `ticks` counts.
  static double overheadTicks();
};

/// Counts while it lives. Made and destroyed only while no other thread calls the driver through
/// graphprof.
class DriverMeter {
public:
  DriverMeter();
  ~DriverMeter();
  DriverMeter(const DriverMeter &) = delete;
  DriverMeter &operator=(const DriverMeter &) = delete;
};

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H
