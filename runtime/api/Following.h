// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the files that follow the program's graph calls share (graphprof/detail/seam.h):
// nothing of ours is thrown into the program, and what is lost is counted and said once.

#ifndef GRAPHPROF_API_FOLLOWING_H
#define GRAPHPROF_API_FOLLOWING_H

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/registry/Registry.h"
#include "graphprof/control.h"
#include "session/Session.h"

namespace graphprof::detail {

inline Session &session() { return Session::instance(); }

/// The edge to the program: nothing of ours is thrown into it. What was not followed is counted;
/// false then.
template <class Work> bool contained(Work work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception &failure) {
    ++session().counters.notMirrored;
    session().say("out of order: ", failure.what());
  } catch (...) {
    ++session().counters.notMirrored;
    session().say("out of order");
  }
  return false;
}

/// Do graphprof and CUDA work?
inline bool tracks() noexcept { return active() && driver::functions(); }

/// The same, where they do; true where they do not.
template <class Work> bool whileTracking(Work work) noexcept {
  return !tracks() || contained(work);
}

/// The same, of a change that the program makes. One that was not followed, for want of memory,
/// leaves graphs and execs of ours that do something else than the program's: nobody uses what
/// there is any more. False then.
template <class Work> bool following(Work work) noexcept {
  const bool followed = whileTracking(work);
  if (!followed)
    Graphs::instance().distrust();
  return followed;
}

void lost(std::atomic<std::uint64_t> &counter, std::string_view what, std::string_view why);

/// The registry for an exec of `graph`, which was captured or built; null: nothing to time. Comes
/// behind this thread's graphUsing(graph); throws where that failed.
std::shared_ptr<Registry> registryFor(driver::Graph graph, Purpose purpose = Purpose::Exec);
/// The registry of a graph that becomes a child, where it has regions: in node mode a child without
/// them is one node of the graph around it.
std::shared_ptr<Registry> registryForChild(driver::Graph child);

/// Where the next node of a graph stands among its regions: how many are open around it, on this
/// thread, and how many began before it.
struct Place {
  int depth = 0;
  std::size_t position = 0;
};
Place endOf(driver::Graph graph);

/// The graph of `registry`, if that is one, was changed after its capture.
void changed(const std::shared_ptr<Registry> &registry);
/// What child nodes of these graphs hold was edited.
void changedAround(const std::vector<driver::Graph> &around);

} // namespace graphprof::detail

#endif // GRAPHPROF_API_FOLLOWING_H
