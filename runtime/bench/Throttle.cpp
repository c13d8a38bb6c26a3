// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Throttle.h"

#include <array>
#include <string_view>
#include <utility>

#include <dlfcn.h>

#include "clock/HostClock.h"
#include "cuda/Driver.h"

namespace graphprof::bench_detail {

namespace {

constexpr std::int64_t lookNs = 100'000'000;

// nvmlClocksEventReason... Idleness is not a reason.
constexpr std::array<std::pair<unsigned long long, std::string_view>, 8> words = {{
    {0x2, "application clocks"},
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "power brake"},
    {0x100, "display clocks"},
}};

template <class Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

Throttle::Throttle(int ordinal) {
  std::array<char, 32> bus{};
  if (!driver::ok(driver::cu().deviceGetPciBusId(bus.data(), bus.size(), ordinal)))
    return;
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)() = nullptr, (*ofBus)(const char *, void **) = nullptr;
  if (!library_ || !find(library_, "nvmlInit_v2", init) ||
      !find(library_, "nvmlDeviceGetHandleByPciBusId_v2", ofBus) ||
      (!find(library_, "nvmlDeviceGetCurrentClocksEventReasons", reasonsOf_) &&
       !find(library_, "nvmlDeviceGetCurrentClocksThrottleReasons", reasonsOf_)) ||
      init() != 0 || ofBus(bus.data(), &device_) != 0)
    reasonsOf_ = nullptr;
}

Throttle::~Throttle() {
  int (*shutdown)() = nullptr;
  if (reasonsOf_ && find(library_, "nvmlShutdown", shutdown))
    shutdown();
  if (library_)
    dlclose(library_);
}

void Throttle::look() {
  const std::int64_t nowNs = hostNowNs();
  if (!reasonsOf_ || nowNs - lastNs_ < lookNs)
    return;
  lastNs_ = nowNs;
  unsigned long long reasons = 0;
  if (reasonsOf_(device_, &reasons) != 0)
    return;
  known_ = true;
  found_ |= reasons;
}

std::string Throttle::reasons() const {
  if (!known_)
    return "unknown";
  std::string text;
  for (const auto &[bit, word] : words)
    if (found_ & bit)
      text += (text.empty() ? "" : ", ") + std::string(word);
  return text.empty() ? "none" : text;
}

} // namespace graphprof::bench_detail
