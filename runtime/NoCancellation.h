// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_NOCANCELLATION_H
#define GRAPHPROF_NOCANCELLATION_H

#include <pthread.h>

namespace graphprof {

/// While it lives, a pending pthread_cancel() does not end this thread. A function of graphprof's
/// that waits, writes or opens anything is a cancellation point that the program did not write; and
/// an unwinding that meets `noexcept` ends the process.
class NoCancellation {
public:
  NoCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation &) = delete;
  NoCancellation &operator=(const NoCancellation &) = delete;

  /// For a call of the program's meanwhile: gives the thread back what it had, then takes it again.
  void suspend() const { pthread_setcancelstate(before_, nullptr); }
  void resume() const noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); }

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace graphprof

#endif // GRAPHPROF_NOCANCELLATION_H
