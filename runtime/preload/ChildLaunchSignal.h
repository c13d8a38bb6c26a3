// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds out whether any process that `graphprof run` started has launched a graph: a child sends a
// datagram to the process that `run` became. The name of that socket lives only as long as the
// process. Leaves no file, and never waits.

#ifndef GRAPHPROF_PRELOAD_CHILDLAUNCHSIGNAL_H
#define GRAPHPROF_PRELOAD_CHILDLAUNCHSIGNAL_H

namespace graphprof::preload {

/// Is this the process that `graphprof run` became? Its children inherit the variable, too.
bool isRuns() noexcept;

/// In that process: listens from now on.
void listen() noexcept;
/// In another process: a graph was launched here.
void signalLaunch() noexcept;
/// In that process: has a child reported a launch? True as well if that is not known, because the
/// program has put a file of its own in the place of graphprof's descriptor.
bool childMayHaveLaunched() noexcept;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_CHILDLAUNCHSIGNAL_H
