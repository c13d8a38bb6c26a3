// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Shared by the files that follow the program's graph calls (graphprof/detail/seam.h). They throw
// nothing into the program; what is lost is counted, and reported once.

#ifndef GRAPHPROF_CALLS_GUARDED_H
#define GRAPHPROF_CALLS_GUARDED_H

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cxxabi.h>

#include "Edge.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/registry/Registry.h"
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

/// Runs guarded(work) if tracks(). Otherwise returns true.
template <class Work> bool ifTracking(Work work) noexcept { return !tracks() || guarded(work); }

/// A change that the program made was not followed. graphprof's graphs and execs no longer match
/// the program's, so they are not used any more: the program's run, and are counted.
inline void invalidateAll() noexcept {
  process().execs.dropRepeating();
  process().graphs.invalidate();
}

/// Does the same for a change that the program makes. Returns false if graphprof cannot follow
/// it for lack of memory; then nothing it made is valid any more.
template <class Work> bool guardedChange(Work work) noexcept {
  const bool followed = ifTracking(work);
  if (!followed)
    invalidateAll();
  return followed;
}

/// The registry for an exec of `graph`, which was captured or built by hand. Null if there is
/// nothing to time. Call this after graphUsing(graph) on the same thread; throws if that failed.
std::shared_ptr<Registry> registryFor(driver::Graph graph, Purpose purpose = Purpose::Exec);
/// The registry of a graph that becomes a child, if it has regions. Without regions, node mode
/// treats the child as one node of the graph around it.
std::shared_ptr<Registry> registryForChild(driver::Graph child);

/// Where the next node of a graph stands among the graph's regions: how many are open around it on
/// this thread, and how many began before it.
struct Place {
  int depth = 0;
  std::size_t position = 0;
};
Place endOf(driver::Graph graph);

/// Call this after the graph of `registry` was changed. Does nothing if it was not captured, or
/// null.
void changed(const std::shared_ptr<Registry> &registry);
/// This thread is about to add a node in `stream`. If another thread captures it, this one joins
/// that capture: its open ranges become regions of the capture.
void joinsWith(driver::Stream stream) noexcept;
/// A thread uses CUDA. At its first call, prepares the context that is current.
inline void contextSeen() noexcept {
  static constinit thread_local bool isSeen = false;
  if (!std::exchange(isSeen, true))
    ifTracking([] { process().graphs.prepareContext(); });
}
/// Call this after the content of a child node of these graphs was edited.
void changedAround(const std::vector<driver::Graph> &around);

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_GUARDED_H
