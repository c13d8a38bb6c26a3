// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads device memory while kernels run, even if they never end: a copy engine copies in a stream
// that waits for nothing. Stream and pinned memory are made beforehand, because making them may
// wait for the device.

#ifndef GRAPHPROF_CLOCK_LOOK_PEEK_H
#define GRAPHPROF_CLOCK_LOOK_PEEK_H

#include <cstdint>
#include <span>

#include "Mutex.h"
#include "clock/PinnedPool.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Deadline;
class Device;

/// Any thread may call any member.
class Peek {
public:
  explicit Peek(Device &device) : device_(device) {}

  /// Call this in the device's context, as long as the program has nothing there that could run
  /// for ever. Without it, read() fails.
  void prepare() EXCLUDES(mutex_);
  /// Copies words from the device. Returns false if that is not done by `deadline`. A call of CUDA
  /// may take longer, if another thread of the program holds the driver's locks: call this only on
  /// a thread for which nobody waits without a bound.
  bool read(driver::DevicePointer from, std::span<std::uint64_t> into, Deadline &deadline)
      EXCLUDES(mutex_);

private:
  bool copied(driver::DevicePointer from, std::span<std::uint64_t> into, Deadline &deadline)
      REQUIRES(mutex_);
  bool becomesIdle(Deadline &deadline) REQUIRES(mutex_);

  Device &device_;
  Mutex mutex_;
  driver::Stream stream_ GUARDED_BY(mutex_) = nullptr; // null: not prepared
  Pinned memory_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_LOOK_PEEK_H
