// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An object that each thread has for itself. A thread_local object with a destructor is not
// suitable: the destructor is registered at first use, and without memory for that the process
// ends. It may also be destroyed before other objects of the thread whose destructors use
// graphprof. The value of a pthread key is destroyed after them, and is created again if needed.

#ifndef GRAPHPROF_THREADOWNED_H
#define GRAPHPROF_THREADOWNED_H

#include <new>

#include <pthread.h>

namespace graphprof {

/// A value of each thread, which `ended` gets when its thread ends.
class ThreadKey {
public:
  explicit ThreadKey(void (*ended)(void *)) noexcept
      : isMade_(pthread_key_create(&key_, ended) == 0) {}

  /// False: no memory, or the process has no key left. `ended` will not be called.
  [[nodiscard]] bool set(void *value) const noexcept {
    return isMade_ && pthread_setspecific(key_, value) == 0;
  }

private:
  pthread_key_t key_{};
  const bool isMade_;
};

/// This thread's `Object`, one for each type, made at first use. Null without memory for it. Valid
/// until the thread ends.
template <class Object> Object *ofThisThread() noexcept {
  thread_local Object *mine = nullptr;
  if (mine)
    return mine;
  static const ThreadKey key([](void *object) noexcept {
    mine = nullptr;
    delete static_cast<Object *>(object);
  });
  auto *const made = new (std::nothrow) Object;
  if (made && !key.set(made)) { // it would never be destroyed
    delete made;
    return nullptr;
  }
  return mine = made;
}

} // namespace graphprof

#endif // GRAPHPROF_THREADOWNED_H
