// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For tests: who looks at each copy of a graph of the program's, rebuilt or cloned, before execs
// are made of it (test/runtime/support/CopiesAreWhole.cpp).

#ifndef GRAPHPROF_GRAPH_REGISTRY_COPYWATCHER_H
#define GRAPHPROF_GRAPH_REGISTRY_COPYWATCHER_H

#include <atomic>

#include "graph/registry/TimedGraph.h"

namespace graphprof {

/// `copy` is complete. Called on the thread that made it, in whatever it is doing.
using CopyWatcher = void (*)(driver::Graph original, const RebuiltGraph &copy);
/// Null: nobody looks.
inline std::atomic<CopyWatcher> copyWatcher{nullptr};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_COPYWATCHER_H
