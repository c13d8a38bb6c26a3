// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_PROCESS_INTERRUPTED_H
#define GRAPHPROF_PROCESS_INTERRUPTED_H

namespace graphprof {

/// Is this called from a signal handler? Then the interrupted code may hold locks that nobody will
/// release. Also true if the stack cannot be read, because a function in it has no unwind tables.
/// Takes no lock and allocates nothing.
[[nodiscard]] bool mayBeInterrupted() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_INTERRUPTED_H
