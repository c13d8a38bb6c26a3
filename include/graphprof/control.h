// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turning graphprof on and off, waiting for what was measured, and asking what was lost.

#ifndef GRAPHPROF_CONTROL_H
#define GRAPHPROF_CONTROL_H

#include <atomic>
#include <cstdint>

namespace graphprof {

namespace detail {
// False when GRAPHPROF_ENABLED=0, in a forked child, and once the process is shutting down. Set
// before main.
extern std::atomic<bool> activeFlag;
} // namespace detail

/// Does graphprof act at all? While it does, every capture is marked, recording or not.
inline bool active() noexcept { return detail::activeFlag.load(std::memory_order_relaxed); }

/// Records from the next launch on. This is the state at program start.
void start() noexcept;

/// Stops recording: launches take the program's own exec again, regions outside graphs cost a look
/// at their stream.
void stop() noexcept;

/// Is graphprof recording? Not while nobody listens: no output, no callback.
bool recording() noexcept;

/// Waits until every replay launched so far has been harvested and handed to the outputs and
/// callbacks, and what outputs write while the program runs is in their files, where it survives a
/// crash; or until `timeoutMs` milliseconds have passed. Returns whether all arrived. Polls host
/// memory: it synchronises no stream and may be called at any time, but what is captured and not
/// launched, or queued behind work that waits for this thread, cannot arrive. Where no thread could
/// be started for the harvest, this one harvests, and calls the callbacks.
bool flush(std::int64_t timeoutMs = 10'000) noexcept;

/// What could not be shown, and why. Every output repeats these counts.
struct Losses {
  std::uint64_t overrun;    ///< replays, or iterations of a conditional node's body, overwritten in
                            ///< the ring before they were read (GRAPHPROF_RING_DEPTH)
  std::uint64_t notQueued;  ///< replays, and regions outside graphs, that came when too many waited
                            ///< to be read (GRAPHPROF_MAX_QUEUE); replays of execs that were
                            ///< destroyed when too many of those waited
  std::uint64_t unfinished; ///< replays not finished when the program ended, or the device failed
  std::uint64_t incomplete; ///< regions of which a boundary was refused, or never reached in a
                            ///< replay, or read before its begin
  std::uint64_t notMarked;  ///< regions and nodes beyond the bound of their graph
                            ///< (GRAPHPROF_MAX_REGIONS); nodes of a graph that is timed in place
  std::uint64_t notInstantiated; ///< graphs with regions for which no profiled exec could be made
  std::uint64_t notMirrored; ///< updates or edits of a graph that could not be repeated: it runs on
                             ///< unprofiled
  std::uint64_t notLaunched; ///< launches that had to take the plain exec although recording
  std::uint64_t invalidated; ///< captures with regions that failed or were abandoned
  std::uint64_t eager;       ///< regions outside graphs whose events could not be recorded or read
  std::uint64_t dropped;     ///< records beyond an output's bound (GRAPHPROF_MAX_RECORDS), or for
                             ///< which there was no memory
  std::uint64_t namesCut;    ///< regions with a name that was shortened (GRAPHPROF_MAX_NAME), and
                             ///< texts for which there was no memory
  std::uint64_t hostSpans;   ///< spans of the host's time line that came when too many of their
                             ///< thread waited to be read (GRAPHPROF_MAX_QUEUE)
};

/// The losses so far.
Losses losses() noexcept;

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_H
