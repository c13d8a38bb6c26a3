// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Device.h"

#include "clock/Devices.h"
#include "clock/StampLayout.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the current context is green. Asked about a stream of its own: a capture of another
// thread may forbid to ask about the legacy stream, and once a thread has used its per-thread
// stream, a child that it forks dies of signal 11 in the driver's destructors (H200, driver 580).
bool isGreen() {
  driver::Stream stream = nullptr;
  const driver::RelaxedCapture relaxed;
  if (!cu().streamGetGreenCtx || !relaxed ||
      !ok(cu().streamCreateWithPriority(&stream, driver::streamNonBlocking, 0)))
    return false;
  driver::GreenContext green = nullptr;
  const bool is = ok(cu().streamGetGreenCtx(stream, &green)) && green;
  cu().streamDestroy(stream);
  return is;
}

// Whether `context` is the device's primary context. Makes none.
bool isPrimaryOf(int ordinal, driver::Context context) {
  unsigned flags = 0;
  int isActive = 0;
  if (!ok(cu().devicePrimaryCtxGetState(ordinal, &flags, &isActive)) || !isActive)
    return false;
  driver::Context primary = nullptr;
  if (!ok(cu().devicePrimaryCtxRetain(&primary, ordinal)))
    return false;
  cu().devicePrimaryCtxRelease(ordinal);
  return primary == context;
}

} // namespace

Device::Device(Devices &all, driver::Context context, unsigned long long contextId)
    : all_(all), context_(context), contextId_(contextId), controls_(all.controlCounts()) {
  if (!ok(cu().ctxGetDevice(&ordinal_)))
    return;
  properties_ = driver::deviceProperties(ordinal_);
  endsWithPrimary_ = isPrimaryOf(ordinal_, context) || isGreen();
}

bool Device::endsWith(const Ending &ending) const {
  if (ending.context)
    return context() == ending.context;
  return context() && endsWithPrimary_ && (ending.ordinal < 0 || ordinal_ == ending.ordinal);
}

bool Device::isAlive() const noexcept {
  unsigned long long id = 0;
  const driver::Context living = context();
  return living && ok(cu().ctxGetId(living, &id)) && id == contextId_;
}

bool Device::loadStamps() {
  const MutexLock lock(mutex_);
  if (stampsTried_)
    return stamps_.controls != 0;
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return false;
  stampsTried_ = true;
  // A device reset may have unloaded the first library.
  StampLibrary &library = all_.stampLibrary();
  if (!stamps_.load(library.load(false), properties_)) {
    if (!stamps_.load(library.load(true), properties_))
      return false;
    all_.controlCounts().forget(stamps_.controls);
  }
  controls_.setAddress(stamps_.controls);
  entries_.setMemory({stamps_.entries, entriesWords});
  return true;
}

void Device::align() {
  driver::Kernel timer = nullptr;
  {
    const MutexLock lock(mutex_);
    timer = stamps_.controls ? stamps_.align : nullptr;
  }
  alignment_.align(timer);
}

} // namespace graphprof
