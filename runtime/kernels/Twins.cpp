// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "kernels/Twins.h"

#include <atomic>

#include "Mutex.h"

namespace graphprof {
namespace {

// Twins come while shared objects are initialized, before and after this library is, and go while
// they are unloaded, even at exit. So this is made at first use and never destroyed. It is the
// address space's, like the objects themselves: a forked child that begins anew has the same ones.
struct List {
  Mutex mutex;
  device::Twin *first GUARDED_BY(mutex) = nullptr;
  device::Twin *last GUARDED_BY(mutex) = nullptr;
  std::atomic<bool> any{false}; // set under the mutex
};

List &list() {
  static List *const it = new List;
  return *it;
}

} // namespace

inline namespace v1 {
namespace device {

void addTwin(Twin *twin) noexcept {
  List &all = list();
  const MutexLock lock(all.mutex);
  twin->next = nullptr;
  (all.last ? all.last->next : all.first) = twin;
  all.last = twin;
  all.any.store(true, std::memory_order_relaxed);
}

void removeTwin(Twin *twin) noexcept {
  List &all = list();
  const MutexLock lock(all.mutex);
  Twin *before = nullptr;
  for (Twin *each = all.first; each; before = each, each = each->next)
    if (each == twin) {
      (before ? before->next : all.first) = twin->next;
      if (all.last == twin)
        all.last = before;
      all.any.store(all.first != nullptr, std::memory_order_relaxed);
      return;
    }
}

} // namespace device
} // namespace v1

void forEachKernelTwin(const std::function<void(const device::Twin &)> &use) {
  List &all = list();
  const MutexLock lock(all.mutex);
  for (const device::Twin *each = all.first; each; each = each->next)
    use(*each);
}

bool anyKernelTwin() noexcept { return list().any.load(std::memory_order_relaxed); }

} // namespace graphprof
