// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "cupti_activity.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

#include <cupti.h>
#include <dlfcn.h>

namespace benchmark {
namespace {

/// The part of CUPTI that is needed, and the records.
class Cupti : public CuptiActivity {
public:
  Cupti();

  void switchOn() override {
    takeSpans();
    for (CUpti_ActivityKind kind : kinds)
      check(enable_(kind), "cuptiActivityEnable");
  }

  void switchOff() override {
    for (CUpti_ActivityKind kind : kinds)
      check(disable_(kind), "cuptiActivityDisable");
  }

  std::vector<CuptiSpan> takeSpans() override {
    check(flushAll_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    std::vector<CuptiSpan> spans;
    {
      const std::lock_guard lock(mutex_);
      spans.swap(spans_);
    }
    std::sort(spans.begin(), spans.end(),
              [](const CuptiSpan &a, const CuptiSpan &b) { return a.beginNs < b.beginNs; });
    return spans;
  }

private:
  static constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                 CUPTI_ACTIVITY_KIND_MEMSET};
  static constexpr std::size_t bufferBytes = 8 << 20;

  template <class Function> void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function)
      throw std::runtime_error(std::string("CUPTI lacks ") + name);
  }

  static void check(CUptiResult result, const char *call) {
    if (result != CUPTI_SUCCESS)
      throw std::runtime_error(std::string(call) + ": CUPTI result " + std::to_string(result));
  }

  static void CUPTIAPI giveBuffer(std::uint8_t **buffer, std::size_t *size,
                                  std::size_t *maxRecords) {
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, bufferBytes));
    *size = bufferBytes;
    *maxRecords = 0;
  }

  // Called on CUPTI's thread, or on the one that flushes.
  static void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t *buffer, std::size_t,
                                  std::size_t validSize) {
    Cupti &cupti = *self_;
    CUpti_Activity *record = nullptr;
    const std::lock_guard lock(cupti.mutex_);
    while (cupti.nextRecord_(buffer, validSize, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
        cupti.spans_.push_back({kernel->start, kernel->end, kernel->graphNodeId});
      } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const auto *memset = reinterpret_cast<const CUpti_ActivityMemset4 *>(record);
        cupti.spans_.push_back({memset->start, memset->end, memset->graphNodeId});
      }
    }
    std::free(buffer);
  }

  static inline Cupti *self_ = nullptr; // CUPTI's callbacks have no user data
  void *library_ = nullptr;
  decltype(&cuptiActivityEnable) enable_ = nullptr;
  decltype(&cuptiActivityDisable) disable_ = nullptr;
  decltype(&cuptiActivityFlushAll) flushAll_ = nullptr;
  decltype(&cuptiActivityGetNextRecord) nextRecord_ = nullptr;
  std::mutex mutex_;
  std::vector<CuptiSpan> spans_; // guarded by mutex_
};

Cupti::Cupti() {
  library_ = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!library_)
    throw std::runtime_error(std::string("no CUPTI: ") + dlerror());
  find("cuptiActivityEnable", enable_);
  find("cuptiActivityDisable", disable_);
  find("cuptiActivityFlushAll", flushAll_);
  find("cuptiActivityGetNextRecord", nextRecord_);
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
  find("cuptiActivityRegisterCallbacks", registerCallbacks);
  self_ = this;
  check(registerCallbacks(&giveBuffer, &takeBuffer), "cuptiActivityRegisterCallbacks");
  switchOn();
  switchOff();
}

} // namespace

CuptiActivity &CuptiActivity::get() {
  static auto *cupti =
      new Cupti; // leaked, because CUPTI's thread may use it until the process ends
  return *cupti;
}

} // namespace benchmark
