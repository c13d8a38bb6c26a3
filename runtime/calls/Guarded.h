// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Shared by the files that follow the program's graph calls (graphprof/detail/seam.h). They throw
// nothing into the program; what is lost is counted, and reported once.

#ifndef GRAPHPROF_CALLS_GUARDED_H
#define GRAPHPROF_CALLS_GUARDED_H

#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include <cxxabi.h>

#include "Edge.h"
#include "cuda/Driver.h"
#include "graphprof/control.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof::internal {

inline Session &session() noexcept { return process().session; }

/// Runs `work` with the edge through which it makes the program's own call. Lets no exception of
/// graphprof's into the program, nor a cancellation out of it, and counts that; what came out of
/// the program's call goes on. Returns false if it threw.
template <class Work> bool guardedAround(Work work) {
  Edge edge;
  try {
    work(edge);
    return true;
  } catch (const abi::__forced_unwind &) { // the thread ends
    throw;
  } catch (const std::exception &failure) {
    if (edge.isProgramsThrow())
      throw;
    ++session().counters.notMirrored;
    session().say("a CUDA call was not followed, so graphs may run untimed: ", failure.what());
  } catch (...) {
    if (edge.isProgramsThrow())
      throw;
    ++session().counters.notMirrored;
    session().say("a CUDA call was not followed, so graphs may run untimed");
  }
  return false;
}

/// For work that makes no call of the program's.
template <class Work> bool guarded(Work work) noexcept {
  return guardedAround([&](Edge &) { work(); });
}

/// Do both graphprof and CUDA work?
inline bool tracks() noexcept { return active() && driver::functions(); }

/// If tracks(), runs `work` guarded, which may take what this process has of graphprof. Otherwise
/// returns true.
template <class Work> bool ifTracking(Work work) noexcept {
  if (!tracks())
    return true;
  return guarded([&] {
    if constexpr (std::is_invocable_v<Work &, Process &>)
      work(process());
    else
      work();
  });
}

/// Does the same for a change that the program makes. Returns false if graphprof cannot follow
/// it for lack of memory; then nothing it made is valid any more.
template <class Work> bool guardedChange(Work work) noexcept {
  const bool followed = ifTracking(work);
  if (!followed)
    process().follower.invalidateAll();
  return followed;
}

/// Throws if this thread could not prepare the graph that the program has used now.
void needPrepared();

/// Where the next node of a graph stands among the graph's regions: how many are open around it on
/// this thread, and how many began before it.
struct Place {
  int depth = 0;
  std::size_t position = 0;
};
Place endOf(Graphs &graphs, driver::Graph graph);

/// This thread is about to add a node in `stream`. If another thread captures it, this one joins
/// that capture: its open ranges become regions of the capture.
void joinsWith(driver::Stream stream) noexcept;
/// Prepares the context that is current (Graphs::prepareContext()).
void prepareContext() noexcept;
/// A thread uses CUDA. At its first call, prepares the context that is current.
inline void contextSeen() noexcept {
  static constinit thread_local bool isSeen = false;
  if (!std::exchange(isSeen, true))
    prepareContext();
}

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_GUARDED_H
