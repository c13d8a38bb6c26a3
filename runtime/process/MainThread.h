// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A process ends with its last thread. graphprof's never end, so they end it when only they are
// left: the main thread, without which that cannot be, has ended by pthread_exit() or by the system
// call exit, which runs nothing of the program's.

#ifndef GRAPHPROF_PROCESS_MAINTHREAD_H
#define GRAPHPROF_PROCESS_MAINTHREAD_H

namespace graphprof {

/// Call this when graphprof has begun a thread, at least once on the main thread. From then on its
/// end is seen, however it comes.
void followMainThread() noexcept;

/// The main thread is about to end by pthread_exit().
void mainThreadExits() noexcept;

/// In a forked child, which has another main thread.
void forgetMainThread() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_MAINTHREAD_H
