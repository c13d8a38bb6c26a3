// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Clock.h"

#include "clock/Devices.h"

namespace graphprof {

Device *GraphClock::currentDevice() const { return devices_.current(); }

} // namespace graphprof
