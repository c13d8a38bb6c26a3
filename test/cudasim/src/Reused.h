// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory for objects whose address is a handle. What was freed last is reused first, as in an
// ordinary allocator, so a stale handle soon names another object. Sanitizers would otherwise delay
// reuse.

#ifndef CUDASIM_SRC_REUSED_H
#define CUDASIM_SRC_REUSED_H

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace cudasim {

// Base class of T. Nothing may derive from T.
template <typename T> struct Reused {
  static void *operator new(std::size_t size) {
    const std::lock_guard lock(places().mutex);
    if (places().free.empty())
      return ::operator new(size);
    void *place = places().free.back();
    places().free.pop_back();
    return place;
  }
  static void operator delete(void *place) {
    const std::lock_guard lock(places().mutex);
    places().free.push_back(place);
  }

private:
  friend T;
  Reused() = default;

  struct Places {
    std::mutex mutex;
    std::vector<void *> free;
  };
  static Places &places() {
    static Places *const places =
        new Places; // leaked, because the device outlives static destructors
    return *places;
  }
};

} // namespace cudasim

#endif // CUDASIM_SRC_REUSED_H
