// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turn graphprof on and off, wait for what was measured, and ask what was lost.

#ifndef GRAPHPROF_CONTROL_H
#define GRAPHPROF_CONTROL_H

#include <cstdint>

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

namespace detail {
// False when GRAPHPROF_ENABLED=0, in a child that was forked when graphprof had begun to measure,
// and once the process is shutting down. Set before main.
GRAPHPROF_API extern bool activeFlag; // read and written as an atomic, without <atomic>
} // namespace detail

/// Whether graphprof does anything at all. While it is active, it marks every capture, recording or
/// not.
inline bool active() noexcept { return __atomic_load_n(&detail::activeFlag, __ATOMIC_RELAXED); }

/// Records from the next launch on. This is the state at program start.
GRAPHPROF_API void start() noexcept;

/// Stops recording. Launches take the program's own exec again. A region outside graphs still asks
/// its stream whether it is being captured.
GRAPHPROF_API void stop() noexcept;

/// Whether graphprof is recording. It is not while nobody listens: no output and no callback.
GRAPHPROF_API bool recording() noexcept;

/// Waits until every replay launched so far has been read and passed to the outputs and callbacks,
/// or until `timeout_ms` milliseconds have passed. Returns whether all arrived. What outputs write
/// while the program runs is then in their files, where it survives a crash.
///
/// Polls host memory and synchronizes no stream, so it may be called at any time. Work that is
/// queued behind something that waits for this thread cannot arrive. If no thread could be started
/// for the harvest, the calling thread harvests and calls the callbacks.
GRAPHPROF_API bool flush(std::int64_t timeout_ms = 10'000) noexcept;

/// What recording may cost (docs/production.md). As it is here, every launch is recorded, whole.
struct recording_terms {
  /// How much longer replays may become: 0.01 is 1 %. graphprof measures what recording costs each
  /// exec, and records a part of its graph in each launch, or some launches only. 0: any time.
  double budget = 0;
  /// One launch of an exec in so many is recorded, drawn by a hash of its number. 0: as the budget
  /// needs it; without one, every launch.
  std::uint64_t sample_every = 0;
  /// In how many parts a graph is recorded, one in each recorded launch; up to 64. 0: as the budget
  /// needs it; without one, whole.
  unsigned parts = 0;
};

/// Sets them, in place of GRAPHPROF_BUDGET, GRAPHPROF_SAMPLE and GRAPHPROF_PARTS. They hold from
/// each exec's next launch on. A graph whose exec was made while nothing asked for parts is
/// recorded whole. Returns false, and changes nothing, if a value makes no sense.
GRAPHPROF_API bool set_recording_terms(const recording_terms &terms) noexcept;

/// What could not be measured or shown, and why. Every output repeats these counts; of `dropped`,
/// which is the sum over all outputs, each says what it dropped itself.
struct Losses {
  std::uint64_t overrun; ///< replays, or iterations of a conditional node's body, overwritten in
                         ///< the ring before they were read (GRAPHPROF_RING_DEPTH)
  /// replays, and regions outside graphs, that came while too many were waiting to be read
  /// (GRAPHPROF_MAX_QUEUE); replays of destroyed execs, likewise
  std::uint64_t not_queued;
  std::uint64_t unfinished; ///< replays not finished when the program ended, or the device failed
  std::uint64_t incomplete; ///< regions with a boundary that was refused, not reached, or read in
                            ///< the wrong order, or with work only in streams that are not timed
  /// regions and nodes beyond the bound of their graph (GRAPHPROF_MAX_REGIONS); nodes of a graph
  /// that is timed in place
  std::uint64_t beyond_limit;
  /// graphs with regions for which no profiled exec could be made
  std::uint64_t not_instantiated;
  /// updates or edits of a graph that could not be repeated: it runs on unprofiled
  std::uint64_t not_mirrored;
  /// launches while recording that had to take the plain exec
  std::uint64_t not_launched;
  std::uint64_t invalidated; ///< captures with regions that failed or were abandoned
  /// regions outside graphs whose events could not be recorded or read
  std::uint64_t regions_outside_graphs_failed;
  std::uint64_t dropped; ///< records beyond an output's bound (GRAPHPROF_MAX_RECORDS), or for
                         ///< which there was no memory
  /// regions with a name that was shortened (GRAPHPROF_MAX_NAME), and texts for which there was
  /// no memory
  std::uint64_t names_truncated;
  /// host spans that came while too many of their thread were waiting to be read
  /// (GRAPHPROF_MAX_QUEUE)
  std::uint64_t host_spans;
  /// launches while recording of execs that were not timed, because as many others were as may be
  /// (GRAPHPROF_MAX_EXECS)
  std::uint64_t evicted;
  std::uint64_t not_sampled; ///< launches that were left out on purpose, to keep recording cheap
                             ///< (GRAPHPROF_BUDGET, GRAPHPROF_SAMPLE): no fault
  /// kernels with annotated statements, in graphs, that ran without their timed twin
  std::uint64_t plain_kernels;
  /// runs of annotated statements in kernels that found no room (GRAPHPROF_KERNELS), or whose times
  /// were overwritten before they were read: all of one warp in one replay count as one
  std::uint64_t inside_kernels;
};

/// The losses so far.
GRAPHPROF_API Losses losses() noexcept;

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_CONTROL_H
