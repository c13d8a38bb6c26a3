// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Devices.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::uint64_t Devices::nextNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Device *Devices::current() { return of(driver::currentContext()); }

Device *Devices::of(driver::Context context) {
  unsigned long long id = 0;
  if (!context || !ok(cu().ctxGetId(context, &id)))
    return nullptr;
  thread_local struct {
    std::uint64_t devices = 0;
    unsigned long long id = 0;
    Device *device = nullptr;
  } last;
  if (last.device && last.id == id && last.devices == number_)
    return last.device;
  const MutexLock lock(mutex_);
  auto found = byContextId_.find(id);
  if (found == byContextId_.end())
    found = byContextId_.emplace(id, std::make_unique<Device>(*this, context, id)).first;
  last = {number_, id, found->second.get()};
  return last.device;
}

std::vector<driver::DeviceProperties> Devices::known() {
  const MutexLock lock(mutex_);
  std::map<int, const Device *> byOrdinal;
  for (const auto &[id, device] : byContextId_)
    if (device->ordinal() >= 0)
      byOrdinal.emplace(device->ordinal(), device.get());
  std::vector<driver::DeviceProperties> properties;
  properties.reserve(byOrdinal.size());
  for (const auto &[ordinal, device] : byOrdinal)
    properties.push_back(device->properties());
  return properties;
}

bool Devices::havePlaceholder(driver::Event event) {
  const MutexLock lock(mutex_);
  return std::any_of(byContextId_.begin(), byContextId_.end(), [event](const auto &device) {
    return device.second->events().isPlaceholder(event);
  });
}

std::vector<Device *> Devices::thatEnd(const Device::Ending &ending) {
  const MutexLock lock(mutex_);
  std::vector<Device *> found;
  for (const auto &[id, device] : byContextId_)
    if (device->endsWith(ending))
      found.push_back(device.get());
  return found;
}

void Devices::end(const Device::Ending &ending) noexcept {
  const MutexLock lock(mutex_);
  for (const auto &[id, device] : byContextId_)
    if (device->endsWith(ending))
      device->end();
}

} // namespace graphprof
