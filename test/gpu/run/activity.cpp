// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A minimal other profiler: a CUPTI injection (CUDA_INJECTION64_PATH) that records kernels and
// counts the driver calls for graphs and captures, whoever makes them. At exit it prints to stderr
//
//     activity: N kernels, M of graphprof
//     activity: COUNT CALL          for each call
//
// The scripts here compile it, with the path of the library as CUPTI.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include <cupti.h>
#include <dlfcn.h>

namespace {

std::atomic<int> kernels, ours;
decltype(&cuptiActivityGetNextRecord) nextRecord;
decltype(&cuptiActivityFlushAll) flushAll;

struct Calls {
  std::mutex mutex;
  std::map<std::string, int> counts;
};

Calls &calls() {
  static auto *const all =
      new Calls; // never destroyed, because threads may call until the process ends
  return *all;
}

void CUPTIAPI giveBuffer(std::uint8_t **buffer, std::size_t *size, std::size_t *maxRecords) {
  *size = 1 << 20;
  *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, *size));
  *maxRecords = 0;
}

void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t *buffer, std::size_t,
                         std::size_t validSize) {
  CUpti_Activity *record = nullptr;
  while (nextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) {
    const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
    if (kernel->name && std::strncmp(kernel->name, "graphprof_", 10) == 0)
      ++ours;
    else
      ++kernels;
  }
  std::free(buffer);
}

void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *data) {
  const auto *call = static_cast<const CUpti_CallbackData *>(data);
  if (call->callbackSite != CUPTI_API_ENTER ||
      (!std::strstr(call->functionName, "Graph") && !std::strstr(call->functionName, "Captur")))
    return;
  const std::lock_guard lock(calls().mutex);
  ++calls().counts[call->functionName];
}

void finish() {
  flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(calls().mutex);
  std::fprintf(stderr, "activity: %d kernels, %d of graphprof\n", kernels.load(), ours.load());
  for (const auto &[name, count] : calls().counts)
    std::fprintf(stderr, "activity: %d %s\n", count, name.c_str());
}

template <class Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void *library = dlopen(CUPTI, RTLD_NOW | RTLD_LOCAL);
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiEnableDomain) enableDomain;
  CUpti_SubscriberHandle subscriber;
  if (!library || !find(library, "cuptiActivityRegisterCallbacks", registerCallbacks) ||
      !find(library, "cuptiActivityEnable", enable) ||
      !find(library, "cuptiActivityGetNextRecord", nextRecord) ||
      !find(library, "cuptiActivityFlushAll", flushAll) ||
      !find(library, "cuptiSubscribe", subscribe) ||
      !find(library, "cuptiEnableDomain", enableDomain) ||
      registerCallbacks(&giveBuffer, &takeBuffer) != CUPTI_SUCCESS ||
      enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
      subscribe(&subscriber, &called, nullptr) != CUPTI_SUCCESS ||
      enableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "activity: no CUPTI: %s\n", library ? "a call failed" : dlerror());
    return 0;
  }
  std::atexit(&finish);
  return 1;
}
