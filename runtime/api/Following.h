// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the files that follow the program's graph calls share (graphprof/detail/graph_calls.h):
// nothing of ours is thrown into the program, and what is lost is counted and said once.

#ifndef GRAPHPROF_API_FOLLOWING_H
#define GRAPHPROF_API_FOLLOWING_H

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "cuda/Driver.h"
#include "graph/Registry.h"
#include "graphprof/control.h"
#include "session/Session.h"

namespace graphprof::detail {

inline Session &session() { return Session::instance(); }

/// The edge to the program: nothing of ours is thrown into it. What was not followed is counted.
template <class Work> void contained(Work work) noexcept {
  try {
    work();
  } catch (const std::exception &failure) {
    ++session().counters.notMirrored;
    session().say(std::string("out of order: ") + failure.what());
  } catch (...) {
    ++session().counters.notMirrored;
    session().say("out of order");
  }
}

/// The same, where graphprof and CUDA work.
template <class Work> void guarded(Work work) noexcept {
  if (active() && driver::functions())
    contained(work);
}

void lost(std::atomic<std::uint64_t> &counter, const char *what, const std::string &why);

/// The registry for an exec of `graph`, which was captured or built; null: nothing to time.
std::shared_ptr<Registry> registryFor(driver::Graph graph);
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
