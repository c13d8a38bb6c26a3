// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Functions of graphs and captures that a newer driver has and the lists do not. What such a call
// does to a graph is not known, so libgraphprof is told each time that the program makes one.

#ifndef GRAPHPROF_PRELOAD_UNKNOWNCALLS_H
#define GRAPHPROF_PRELOAD_UNKNOWNCALLS_H

namespace graphprof::preload {

/// Does a function of this name possibly make, change, capture or launch graphs, in a way that the
/// lists do not know? Those that only ask do not. `name` begins with "cu".
bool mayChangeGraphs(const char *name) noexcept;

/// What the program gets for `function`, which the driver returned for `name`: a function that
/// tells libgraphprof, and continues in the driver's with the same arguments.
void *watched(const char *name, void *function) noexcept;

} // namespace graphprof::preload

#endif // GRAPHPROF_PRELOAD_UNKNOWNCALLS_H
