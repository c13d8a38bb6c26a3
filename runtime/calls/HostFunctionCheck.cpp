// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/HostFunctionCheck.h"

#include <atomic>
#include <set>
#include <string>

#include <fmt/format.h>

#include "Mutex.h"
#include "calls/CallPlace.h"
#include "calls/DriverNames.h"

namespace graphprof::internal {
namespace {

Mutex functionsMutex; // nothing is called while it is held
// Used to the process's end: the driver's threads outlive static objects.
std::set<const void *> &functions() {
  static auto &all = *new std::set<const void *>();
  return all;
}
// Calls are made all the time; most programs have no host functions.
std::atomic<bool> anyFunctions{false};

bool isHostFunction(const void *function) {
  const MutexLock lock(functionsMutex);
  return functions().contains(function);
}

} // namespace

void noteHostFunction(const void *function) {
  const MutexLock lock(functionsMutex);
  functions().insert(function);
  anyFunctions.store(true, std::memory_order_release);
}

void checkHostFunction(const char *symbol) {
  if (!anyFunctions.load(std::memory_order_acquire))
    return;
  const void *const function = calledByDriver(isHostFunction);
  if (!function)
    return;
  const std::string where = placeOf(function);
  found(fmt::format("a host function calls {}, which CUDA forbids: the call fails, or waits for "
                    "ever. Let the host function wake a thread of the program, which makes the "
                    "call; the host function is {}; {}",
                    driverNameOf(symbol), where.empty() ? "not in a file" : where, callersOf()));
}

} // namespace graphprof::internal
