// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes the outputs before SIGINT or SIGTERM ends the program, if the program left the signal at
// its default. The handler wakes a thread, which ends the session within two seconds and raises the
// signal again. Until then it keeps the thread that was interrupted: its program must not notice
// that there is a handler. Signals that the program handles, ignores or waits for are left alone.

#ifndef GRAPHPROF_PROCESS_SIGNALS_H
#define GRAPHPROF_PROCESS_SIGNALS_H

namespace graphprof {

/// Called at each recorded launch; the first call looks at the program's signal handlers. At load
/// it would be too early: Python installs its own Ctrl-C handler only if nobody else has one.
void watchSignals() noexcept;

/// Call this at the program's exit. If a signal has come, waits until it ends the process: the
/// signal is its status, not what another thread passes to exit() meanwhile.
void awaitSignalsEnd() noexcept;

/// Resets the signals to their defaults in a forked child.
void signalsInChild() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_SIGNALS_H
