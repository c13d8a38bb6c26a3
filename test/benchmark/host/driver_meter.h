// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Counts and times graphprof's own driver calls, so that the rest is graphprof's own time: without
// the simulation's, or on a GPU the driver's.
//
// Replaces the entries of the table of functions through which libgraphprof calls the driver.
// Counts this thread's calls only.

#ifndef GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H
#define GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H

#include <cstdint>

namespace benchmark::host {

/// This thread's driver calls since reset(), and their time.
struct DriverCalls {
  std::int64_t count = 0;
  std::int64_t ticks = 0;

  static DriverCalls &ofThisThread();
  static void reset() { ofThisThread() = {}; }
  /// The time that metering a call adds beyond `ticks`.
  static double overheadTicks();
};

/// Counts while an object lives. Construct and destroy it only while no other thread calls the
/// driver through graphprof.
class DriverMeter {
public:
  DriverMeter();
  ~DriverMeter();
  DriverMeter(const DriverMeter &) = delete;
  DriverMeter &operator=(const DriverMeter &) = delete;
};

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_DRIVER_METER_H
