// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The library's beginning and end in a process: load, first use, fork, exit.

#ifndef GRAPHPROF_API_LIFETIME_H
#define GRAPHPROF_API_LIFETIME_H

#include <chrono>

namespace graphprof {

class Saver;
class ScheduledOutputs;

/// Called by whatever begins to measure. Arranges that the end is handled before CUDA goes: exit
/// handlers run newest first, and by the time of the first use the program's cudart has put its own
/// in place.
void used() noexcept;

/// Ends the session now, on another thread, for a process that a signal is about to end; returns
/// when that is done, or after `most`.
void endWithin(std::chrono::milliseconds most) noexcept;

/// The process leaves without exit(): the same, but on the harvest thread, so that this one takes
/// no lock; what nobody launched has nothing to be read. Returns when that is done, or after
/// `most`.
void leaveWithin(std::chrono::milliseconds most) noexcept;

/// The thread on which traces are finished.
Saver &saver();

/// What GRAPHPROF_SCHEDULE made of the environment's outputs; null without one.
ScheduledOutputs *scheduledOutputs() noexcept;

/// A child that was forked when graphprof had work: it is off here. What others held locked stays
/// so, what was the parent's is not ours.
bool inForkedChild() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_API_LIFETIME_H
