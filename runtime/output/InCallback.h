// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether a thread is inside a callback of the program's that gets records. What such a callback
// measures itself is not measured, and it waits for no other callback.

#ifndef GRAPHPROF_OUTPUT_INCALLBACK_H
#define GRAPHPROF_OUTPUT_INCALLBACK_H

namespace graphprof {

inline constinit thread_local bool threadIsInCallback = false;
[[nodiscard]] inline bool inCallback() noexcept { return threadIsInCallback; }

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_INCALLBACK_H
