// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An object that each thread has for itself. A thread_local object with a destructor is not
// suitable: the destructor is registered at first use, and without memory for that the process
// ends. It may also be destroyed before other objects of the thread whose destructors use
// graphprof. The value of a pthread key is destroyed after them, and is created again if needed.

#ifndef GRAPHPROF_THREADOWNED_H
#define GRAPHPROF_THREADOWNED_H

#include <new>
#include <optional>

#include <pthread.h>

namespace graphprof {

/// This thread's `Object`, one for each type, made at first use. Null without memory for it. Valid
/// until the thread ends.
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
  if (made && pthread_setspecific(*key, made) != 0) { // no memory: it would never be destroyed
    delete made;
    return nullptr;
  }
  return mine = made;
}

} // namespace graphprof

#endif // GRAPHPROF_THREADOWNED_H
