// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Both clocks, and which of them times graphs on a device. The caller turns the user's settings
// into what is allowed.

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
    bool coarseStamps = false;   ///< even if the device's timer has large steps
    bool beginsOfKernels = true; ///< stamps may wait for a kernel's begin
    bool events = true;          ///< for graphs in which no kernel of ours may be in the way
  };

  /// `devices` must outlive this. `banks`: how many replays may be outstanding and can still be
  /// read; 0: the clock decides.
  Clocks(Devices &devices, Allowed allowed, std::size_t banks)
      : allowed_(allowed), events_(devices, banks),
        stamps_(devices, banks, !allowed.beginsOfKernels, allowed.events ? &events_ : nullptr) {}

  /// The clock for graphs on `device`, which must be current; null if none works. Always returns
  /// the same. Prefers stamps, if they are allowed, load, and are fine enough.
  [[nodiscard]] GraphClock *choose(Device &device);

private:
  const Allowed allowed_;
  EventClock events_;
  StampClock stamps_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_CLOCKS_H
