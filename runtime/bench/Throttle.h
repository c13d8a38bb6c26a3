// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Why a GPU does not run at its highest clock, as NVML says it.

#ifndef GRAPHPROF_BENCH_THROTTLE_H
#define GRAPHPROF_BENCH_THROTTLE_H

#include <cstdint>
#include <string>

namespace graphprof::bench_detail {

/// NVML, found at run time like the driver, and one device of it. Where there is none it says so.
class Throttle {
public:
  /// The CUDA device of that ordinal.
  explicit Throttle(int ordinal);
  ~Throttle();
  Throttle(const Throttle &) = delete;
  Throttle &operator=(const Throttle &) = delete;

  /// Asks, a tenth of a second apart at least: it takes the driver up to a millisecond.
  void look();
  /// All reasons that look() found, by commas; "none", or "unknown" where NVML did not tell.
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
