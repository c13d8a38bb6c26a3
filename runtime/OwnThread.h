// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The threads of graphprof. The program must not notice them.

#ifndef GRAPHPROF_OWNTHREAD_H
#define GRAPHPROF_OWNTHREAD_H

#include <functional>

namespace graphprof {

/// Starts a thread that runs `work` and is never joined. It handles no signals, and is not one for
/// which a process waits whose main() has called pthread_exit() (Lifetime.cpp). Throws
/// std::system_error if there can be no more threads.
void startOwnThread(std::function<void()> work);

/// Has the program no thread left, but for those of graphprof? Then the C library would have ended
/// the process. Call this when the main thread has ended. False if that cannot be found out.
[[nodiscard]] bool onlyOwnThreadsAreLeft() noexcept;

/// Call this in a forked child, which has none of its parent's threads.
void forgetOwnThreads() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OWNTHREAD_H
