// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The two ways to look up the driver's functions: dlsym and similar, and cuGetProcAddress. A
// process gets this library's function instead of the driver's; if the driver has none, it gets
// none.
//
// The result of dlsym depends on the caller (RTLD_NEXT, RTLD_DEFAULT, a namespace). So every other
// look-up is a jump to the real dlsym, which then sees the caller's return address.

#include <cstring>

#include <dlfcn.h>
#include <link.h>

#include "preload/Hooks.h"
#include "preload/Library.h"
#include "preload/NextSymbols.h"
#include "preload/UnknownCalls.h"
#include "preload/abi/cuda.h"

#if defined(__clang__)
#define GRAPHPROF_JUMP [[clang::musttail]] return
#else
#define GRAPHPROF_JUMP return // this file is compiled with -O2
#endif

#define GRAPHPROF_EXPORT extern "C" __attribute__((visibility("default")))

using namespace graphprof::preload;

namespace {

using Init = CUresult(unsigned);
using GetProcAddress = CUresult(const char *, void **, int, cuuint64_t);
using GetProcAddress2 = CUresult(const char *, void **, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult *);
constinit Slot procAddress{"cuGetProcAddress"}, procAddress2{"cuGetProcAddress_v2"}, init{"cuInit"};
constexpr int procAddress2Since = 12000;

} // namespace

GRAPHPROF_EXPORT GetProcAddress cuGetProcAddress;
GRAPHPROF_EXPORT GetProcAddress2 cuGetProcAddress_v2;
GRAPHPROF_EXPORT Init cuInit;

namespace {

// Functions outside the lists: the look-ups themselves, and those that instrumented programs need
// not tell.
const Hook lookups[] = {
    {"cuGetProcAddress", "", 0, 0, false, reinterpret_cast<void *>(&cuGetProcAddress),
     &procAddress},
    {"cuGetProcAddress_v2", "", 0, 0, false, reinterpret_cast<void *>(&cuGetProcAddress_v2),
     &procAddress2},
    {"cuInit", "cuInit", 0, 0, false, reinterpret_cast<void *>(&cuInit), &init},
};

const Hook *lookedUp(const char *symbol) noexcept {
  if (std::strncmp(symbol, "cu", 2) != 0)
    return nullptr;
  for (const Hook &hook : lookups)
    if (std::strcmp(hook.symbol, symbol) == 0)
      return &hook;
  return hookOf(symbol);
}

bool isUnknown(const char *symbol) noexcept {
  return std::strncmp(symbol, "cu", 2) == 0 && mayChangeGraphs(symbol);
}

// What the caller's own library and its dependencies have under that name. If a library was loaded
// without RTLD_GLOBAL, other libraries cannot see its driver.
void *inScopeOf(const void *caller, const char *symbol) noexcept {
  Dl_info object{};
  link_map *map = nullptr;
  if (!dladdr1(caller, &object, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) || !map ||
      !map->l_name || !*map->l_name)
    return nullptr;
  void *const library = dlopen(map->l_name, RTLD_NOLOAD | RTLD_LAZY);
  if (!library)
    return nullptr;
  void *const found = realDlsym()(library, symbol);
  dlclose(library);
  return found;
}

bool isDrivers(const void *address) noexcept {
  return isOfDriver(address) || isOfInterposerBehind(address);
}

// `found` is the result of the real look-up, with a library's handle or RTLD_DEFAULT.
void *inPlaceOf(void *found, const Hook &hook, const void *caller) noexcept {
  if (found && isOurs(found)) {
    found = nextOf(hook.symbol);
    if (!found)
      found = inScopeOf(caller, hook.symbol);
  }
  if (!found || !isDrivers(found) || isDrivers(caller) || !driverSought())
    return found;
  hook.slot->address.store(found, std::memory_order_relaxed);
  return hook.function;
}

// Likewise, for a name that is not in the lists.
void *inPlaceOf(void *found, const char *name, const void *caller) noexcept {
  return found && isDrivers(found) && !isDrivers(caller) && driverSought() ? watched(name, found)
                                                                           : found;
}

// A library in front of this one that stands in front of dlsym, too, asks for the one behind it.
// By a version of the C library's, which ours has not.
bool isForDlsymBehind(void *handle, const char *name, const void *caller) noexcept {
  return handle == RTLD_NEXT && std::strcmp(name, "dlsym") == 0 && isInFront(caller);
}

} // namespace

GRAPHPROF_EXPORT void *dlsym(void *handle, const char *name) noexcept {
  const Dlsym real = realDlsym();
  if (!real) [[unlikely]]
    return nullptr;
  const Hook *const hook = handle != RTLD_NEXT ? lookedUp(name) : nullptr;
  if (!hook && (handle == RTLD_NEXT || !isUnknown(name)))
    GRAPHPROF_JUMP real(handle, name);
  if (!hook)
    return inPlaceOf(real(handle, name), name, __builtin_return_address(0));
  return inPlaceOf(real(handle, name), *hook, __builtin_return_address(0));
}

GRAPHPROF_EXPORT void *dlvsym(void *handle, const char *name, const char *version) noexcept {
  const Dlvsym real = realDlvsym();
  if (!real) [[unlikely]]
    return nullptr;
  if (isForDlsymBehind(handle, name, __builtin_return_address(0)))
    return reinterpret_cast<void *>(&dlsym);
  const Hook *const hook = handle != RTLD_NEXT ? lookedUp(name) : nullptr;
  if (!hook && (handle == RTLD_NEXT || !isUnknown(name)))
    GRAPHPROF_JUMP real(handle, name, version);
  if (!hook)
    return inPlaceOf(real(handle, name, version), name, __builtin_return_address(0));
  return inPlaceOf(real(handle, name, version), *hook, __builtin_return_address(0));
}

namespace {

// Replaces what the driver returned for `name` by this library's function, if there is one.
void exchange(const char *name, void **function, int version, cuuint64_t flags) noexcept {
  // Another library behind this one may mean ours by the names of its own functions. One in front
  // of this one calls ours itself: that must not call it.
  if (!name || !function || !*function || isOurs(*function) || isInFront(*function))
    return;
  if (std::strcmp(name, "cuGetProcAddress") == 0) {
    const Hook &hook = lookups[version >= procAddress2Since ? 1 : 0];
    hook.slot->address.store(*function, std::memory_order_relaxed);
    *function = hook.function;
    return;
  }
  const auto watch = [&] {
    if (mayChangeGraphs(name) && driverSought())
      *function = watched(name, *function);
  };
  const bool perThread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const Hook *hook = hookOf(name, version, perThread, *function);
  for (const Hook &each : lookups)
    if (std::strcmp(name, each.name) == 0 && version >= each.since)
      hook = &each;
  if (!hook)
    return watch();
  if (!driverSought())
    return;
  // Newer than the lists: replaced only if it is still the function that the lists know.
  if (version > newestVersion && hook->slot->get() != *function) {
    void *known = nullptr;
    const auto ask = reinterpret_cast<GetProcAddress2 *>(procAddress2.get());
    CUdriverProcAddressQueryResult status{};
    if (!ask || ask(name, &known, newestVersion, flags, &status) != CUDA_SUCCESS ||
        known != *function)
      return watch();
  }
  hook->slot->address.store(*function, std::memory_order_relaxed);
  *function = hook->function;
}

} // namespace

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
  const auto real = reinterpret_cast<GetProcAddress *>(procAddress.get());
  if (!real)
    return CUDA_ERROR_NOT_FOUND;
  const CUresult result = real(name, function, version, flags);
  if (result == CUDA_SUCCESS)
    exchange(name, function, version, flags);
  return result;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  const auto real = reinterpret_cast<GetProcAddress2 *>(procAddress2.get());
  if (!real)
    return CUDA_ERROR_NOT_FOUND;
  const CUresult result = real(name, function, version, flags, status);
  if (result == CUDA_SUCCESS)
    exchange(name, function, version, flags);
  return result;
}

CUresult cuInit(unsigned flags) {
  const auto real = reinterpret_cast<Init *>(init.get());
  if (!real)
    return CUDA_ERROR_NOT_FOUND;
  const CUresult result = real(flags);
  if (result == CUDA_SUCCESS)
    cudaBegan();
  return result;
}
