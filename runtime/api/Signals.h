// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// SIGINT and SIGTERM, where the program leaves them to end it: the outputs are written first. The
// handler only wakes a thread; that ends the session, within two seconds, and then the signal takes
// its course. A signal that the program handles, ignores or waits for is left to it.

#ifndef GRAPHPROF_API_SIGNALS_H
#define GRAPHPROF_API_SIGNALS_H

namespace graphprof {

/// Called at each recorded launch; the first one looks what the program does with the signals. Not
/// at load, when the program has not said it yet: Python takes its Ctrl-C only where nobody else
/// has it.
void watchSignals() noexcept;

/// A forked child leaves them to the system again.
void signalsInChild() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_API_SIGNALS_H
