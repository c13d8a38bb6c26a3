// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Why a GPU does not run at its highest clock, according to NVML.

#ifndef GRAPHPROF_BENCH_THROTTLE_H
#define GRAPHPROF_BENCH_THROTTLE_H

#include <cstdint>
#include <string>

namespace graphprof::bench_detail {

/// NVML, loaded at run time like the driver, and one of its devices. Without NVML the reasons are
/// unknown.
class Throttle {
public:
  /// `ordinal` is that of the CUDA device.
  explicit Throttle(int ordinal);
  ~Throttle();
  Throttle(const Throttle &) = delete;
  Throttle &operator=(const Throttle &) = delete;

  /// Asks for the reasons, at most ten times a second: it takes the driver up to a millisecond.
  void look();
  /// All reasons that look() has found, with commas; "none"; or "unknown" if NVML does not tell.
  [[nodiscard]] std::string reasons() const;

private:
  void *library_ = nullptr;
  void *device_ = nullptr;
  int (*reasonsOf_)(void *device, unsigned long long *reasons) = nullptr;
  bool known_ = false;
  unsigned long long found_ = 0;
  std::int64_t lastNs_ = 0;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_THROTTLE_H
