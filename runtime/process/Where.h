// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where the replays in flight are, asked while the device may be stuck. A thread of its own looks,
// because a call of CUDA may be held up by another thread that waits for the device in the driver.

#ifndef GRAPHPROF_PROCESS_WHERE_H
#define GRAPHPROF_PROCESS_WHERE_H

#include <chrono>
#include <string>

namespace graphprof {

/// An answer of the control socket: a JSON object with the text and the same as data. Takes 1.4 s
/// at most.
[[nodiscard]] std::string whereAnswer();

/// Says on standard error that a replay has been in flight for longer than GRAPHPROF_STUCK. On a
/// thread of its own, which this does not wait for.
void sayStuck() noexcept;

/// Says it if replays are in flight at the end. Takes that long at most.
void sayWhereAtEnd(std::chrono::milliseconds most) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_WHERE_H
