// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The library's begin and end in a process: load, first use, fork, exit.

#ifndef GRAPHPROF_PROCESS_LIFETIME_H
#define GRAPHPROF_PROCESS_LIFETIME_H

#include <chrono>

namespace graphprof {

class Saver;
class ScheduledOutputs;

/// Call this before anything is measured. Makes sure that the end is handled before CUDA is gone:
/// exit handlers run newest first, and before the first use the program's cudart has registered its
/// own.
void used() noexcept;

/// The program uses CUDA from now on: windows may open, and others may reach the process. A child
/// that is forked later is not timed. used() calls this, too.
void cudaBegins() noexcept;

/// How long an end that the program did not ask for by exit() may take: others may be waiting for
/// the process.
constexpr std::chrono::milliseconds endPatience{1'800};

/// Ends the session now, on another thread, because a signal is about to end the process. Returns
/// when that is done, or after `most`. Calls `stuck` once if it makes no progress meanwhile.
void endWithin(std::chrono::milliseconds most, void (*stuck)() noexcept) noexcept;

/// Does the same if the process leaves without exit(), but on the harvest thread, so that this
/// thread takes no lock. Without a harvest thread nothing was launched, so there is nothing to do.
/// Returns when that is done, or after `most`; false if there was nothing to end.
bool leaveWithin(std::chrono::milliseconds most) noexcept;

/// Call this when a thread of the program's ends that graphprof knows. If it was the main thread,
/// which pthread_exit() ends, the process ends with the program's last thread, as without
/// graphprof's.
void threadOfProgramEnds() noexcept;

/// The thread on which traces are finished.
Saver &saver();

/// The outputs of the environment under GRAPHPROF_SCHEDULE; null without a schedule.
ScheduledOutputs *scheduledOutputs() noexcept;

/// Is this a child that was forked when graphprof had work? Then graphprof is off: other threads'
/// locks stay locked, and the outputs belong to the parent.
bool inForkedChild() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_LIFETIME_H
