// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Device.h"

#include <map>
#include <memory>
#include <utility>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether `context`, which is current, is the device's primary context, or a green one. Makes no
// primary context, and asks about no stream that a capture of another thread forbids.
bool endsWithPrimaryOf(int ordinal, driver::Context context) {
  driver::GreenContext green = nullptr;
  if (cu().streamGetGreenCtx && ok(cu().streamGetGreenCtx(driver::perThreadStream(), &green)) &&
      green)
    return true;
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

// What the devices of a process share.
struct Device::Known {
  Mutex mutex;
  std::map<unsigned long long, std::unique_ptr<Device>> byContextId GUARDED_BY(mutex);
  StampLibrary library;
  ControlCounts controls;

  static Known &instance() {
    static Known *const known = new Known; // leaked: devices outlive static destructors
    return *known;
  }
  // The device of context `id`, which is current.
  Device &of(unsigned long long id, driver::Context context) REQUIRES(mutex) {
    if (const auto found = byContextId.find(id); found != byContextId.end())
      return *found->second;
    std::unique_ptr<Device> made(new Device(*this, context, id));
    return *byContextId.emplace(id, std::move(made)).first->second;
  }
};

Device::Device(Known &known, driver::Context context, unsigned long long contextId)
    : known_(known), context_(context), contextId_(contextId), controls_(known.controls) {
  if (!ok(cu().ctxGetDevice(&ordinal_)))
    return;
  properties_ = driver::deviceProperties(ordinal_);
  endsWithPrimary_ = endsWithPrimaryOf(ordinal_, context);
}

std::vector<driver::DeviceProperties> Device::known() {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  std::map<int, const Device *> byOrdinal;
  for (const auto &[id, device] : known.byContextId)
    if (device->ordinal_ >= 0)
      byOrdinal.emplace(device->ordinal_, device.get());
  std::vector<driver::DeviceProperties> properties;
  properties.reserve(byOrdinal.size());
  for (const auto &[ordinal, device] : byOrdinal)
    properties.push_back(device->properties_);
  return properties;
}

bool Device::endsWith(const Ending &ending) const {
  if (ending.context)
    return context() == ending.context;
  return context() && endsWithPrimary_ && (ending.ordinal < 0 || ordinal_ == ending.ordinal);
}

std::vector<Device *> Device::thatEnd(const Ending &ending) {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  std::vector<Device *> found;
  for (const auto &[id, device] : known.byContextId)
    if (device->endsWith(ending))
      found.push_back(device.get());
  return found;
}

void Device::end(const Ending &ending) noexcept {
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  for (const auto &[id, device] : known.byContextId)
    if (device->endsWith(ending))
      device->hasEnded_.store(true, std::memory_order_release);
}

Device *Device::current() { return of(driver::currentContext()); }

Device *Device::of(driver::Context context) {
  unsigned long long id = 0;
  if (!context || !ok(cu().ctxGetId(context, &id)))
    return nullptr;
  thread_local struct {
    unsigned long long id = 0;
    Device *device = nullptr;
  } last;
  if (last.device && last.id == id)
    return last.device;
  Known &known = Known::instance();
  const MutexLock lock(known.mutex);
  last = {id, &known.of(id, context)};
  return last.device;
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
  if (!stamps_.load(known_.library.load(false), properties_)) {
    if (!stamps_.load(known_.library.load(true), properties_))
      return false;
    known_.controls.forget(stamps_.controls);
  }
  controls_.setAddress(stamps_.controls);
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
