// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_PROCESS_SCOPEPATH_H
#define GRAPHPROF_PROCESS_SCOPEPATH_H

#include <string>

namespace graphprof {

/// The names of this thread's open regions, separated by slashes, the outermost first.
[[nodiscard]] std::string scopePath();
/// Where the innermost of them that has a place begins in the source: "model.cu:42". Empty if none
/// has.
[[nodiscard]] std::string scopePlace();

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_SCOPEPATH_H
