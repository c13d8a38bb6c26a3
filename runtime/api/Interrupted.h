// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_API_INTERRUPTED_H
#define GRAPHPROF_API_INTERRUPTED_H

namespace graphprof {

/// Is this called from the handler of a signal, so that what the thread was at may hold locks that
/// nobody will release? Also true where that cannot be said, since a function on the way has no
/// unwind tables. Takes no lock and no memory.
[[nodiscard]] bool mayBeInterrupted() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_API_INTERRUPTED_H
