// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_NODEADLYSIGNAL_H
#define GRAPHPROF_NODEADLYSIGNAL_H

#include <cerrno>
#include <csignal>
#include <ctime>

namespace graphprof {

/// While it lives, a write to a pipe without a reader, or beyond the file size limit, returns an
/// error on this thread instead of killing the program. Needs the C library only. Keeps errno.
class NoDeadlySignal {
public:
  NoDeadlySignal() noexcept {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    sigset_t both;
    sigemptyset(&both);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      sigaddset(&both, signal);
      if (sigismember(&pending, signal) == 0)
        sigaddset(&ours_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  ~NoDeadlySignal() {
    const int error = errno;
    const timespec now{0, 0};
    while (sigtimedwait(&ours_, nullptr, &now) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoDeadlySignal(const NoDeadlySignal &) = delete;
  NoDeadlySignal &operator=(const NoDeadlySignal &) = delete;

private:
  sigset_t ours_{}; // those that were not pending before
  sigset_t before_{};
};

} // namespace graphprof

#endif // GRAPHPROF_NODEADLYSIGNAL_H
