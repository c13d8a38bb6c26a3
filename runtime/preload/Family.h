// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Of the processes that `graphprof run` began, whether one has launched a graph: a child tells the
// process that `run` became by a datagram to a name that only lives as long as that process. No
// file is left, and nobody waits.

#ifndef GRAPHPROF_PRELOAD_FAMILY_H
#define GRAPHPROF_PRELOAD_FAMILY_H

namespace graphprof::preload {

/// Is this the process that `graphprof run` became? Its children's environment names it too.
bool isRuns() noexcept;

/// In that process: listens from now on.
void listen() noexcept;
/// In another: a graph was launched here.
void tellLaunch() noexcept;
/// In that process: whether a child told so since it listens.
bool childHasLaunched() noexcept;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_FAMILY_H
