// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An object that each thread has for itself. A thread_local object with a destructor will not do:
// its destructor is registered at its first use, and without memory for that the process ends; and
// it may be gone before others of its thread, whose destructors use graphprof. The value of a
// pthread key goes behind all of them, and is made anew where it has to be.

#ifndef GRAPHPROF_THREADOWNED_H
#define GRAPHPROF_THREADOWNED_H

#include <new>
#include <optional>

#include <pthread.h>

namespace graphprof {

/// This thread's `Object`, one for each type, made at first use; null where there is no memory for
/// it. A reference to it holds until the thread ends.
template <class Object> Object *ofThisThread() noexcept {
  thread_local Object *mine = nullptr;
  if (mine)
    return mine;
  static const std::optional<pthread_key_t> key = []() noexcept -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    const auto ended = [](void *object) noexcept {
      mine = nullptr;
      delete static_cast<Object *>(object);
    };
    return pthread_key_create(&made, ended) == 0 ? std::optional(made) : std::nullopt;
  }();
  if (!key)
    return nullptr;
  auto *const made = new (std::nothrow) Object;
  if (made && pthread_setspecific(*key, made) != 0) { // no memory: it would never go
    delete made;
    return nullptr;
  }
  return mine = made;
}

} // namespace graphprof

#endif // GRAPHPROF_THREADOWNED_H
