// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_NOSIGNALS_H
#define GRAPHPROF_NOSIGNALS_H

#include <csignal>

namespace graphprof {

/// A thread that starts during this object's life handles no signals. Signals belong to the
/// program, and its handler may wait for a lock that the thread holds (when it ends the process,
/// for example).
class NoSignals {
public:
  NoSignals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals &) = delete;
  NoSignals &operator=(const NoSignals &) = delete;

private:
  sigset_t before_{};
};

} // namespace graphprof

#endif // GRAPHPROF_NOSIGNALS_H
