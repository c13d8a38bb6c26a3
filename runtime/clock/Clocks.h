// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Both clocks, and which of them times graphs on a device. What the user asked for is the caller's
// to know: here it is what is allowed.

#ifndef GRAPHPROF_CLOCK_CLOCKS_H
#define GRAPHPROF_CLOCK_CLOCKS_H

#include <cstddef>

#include "clock/Clock.h"
#include "clock/Device.h"
#include "clock/EventClock.h"
#include "clock/StampClock.h"

namespace graphprof {

class Clocks {
public:
  struct Allowed {
    bool stamps = true;
    bool coarseStamps = false;   ///< also where the device's timer has large steps
    bool beginsOfKernels = true; ///< stamps may hang on a kernel's begin
  };

  /// `banks`: replays that may be outstanding and still be read; 0: the clock decides.
  Clocks(Allowed allowed, std::size_t banks)
      : allowed_(allowed), stamps_(banks, !allowed.beginsOfKernels), events_(banks) {}

  /// The clock for graphs on `device`, which is current; null where none works. The same at each
  /// call. Stamps before events, where they are allowed, load, and resolve enough.
  [[nodiscard]] GraphClock *choose(Device &device);

private:
  const Allowed allowed_;
  StampClock stamps_;
  EventClock events_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CLOCKS_H
