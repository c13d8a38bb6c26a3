// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_SESSION_READWINDOW_H
#define GRAPHPROF_SESSION_READWINDOW_H

#include <string>
#include <string_view>

#include "services/Window.h"

namespace graphprof {

/// Reads a window as GRAPHPROF_WINDOW has it: items with commas between them, in any order.
///
///     cuda-profiler | nvtx=GLOB | signal=USR1 | signal=USR2 | attach     at most one of these
///     after=SECONDS  skip=N  replays=N  seconds=SECONDS  repeat=N
///
/// Returns an empty text, or what the item that is wrong must be ("`item`: ...").
[[nodiscard]] std::string readWindow(std::string_view text, WindowArguments &window);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_READWINDOW_H
