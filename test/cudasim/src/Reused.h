// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory for objects whose address is a handle: what was freed last is given out next, as an
// allocator does that nobody watches over. So a handle of an object that is gone is soon another
// one's, with every sanitizer too.

#ifndef CUDASIM_SRC_REUSED_H
#define CUDASIM_SRC_REUSED_H

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

namespace cudasim {

// For T, which derives from it and from which nothing does.
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
    static Places *const places = new Places; // leaked: the device outlives static destructors
    return *places;
  }
};

} // namespace cudasim

#endif // CUDASIM_SRC_REUSED_H
