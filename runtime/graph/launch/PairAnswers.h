// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a pair answers to the calls of the program that it follows: how an exec is to be launched,
// and where a change of one of its nodes has to be repeated.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H
#define GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H

#include "cuda/DriverApi.h"

namespace graphprof::detail {

enum class Launch {
  Done,          ///< launched, the profiled exec or the program's own: nothing is left to do
  Plain,         ///< the program's own exec is to be launched
  PlainThenMark, ///< the same, and Pair::launchedPlain comes next
};

/// `exec` is null where there is nothing to repeat.
struct Twin {
  driver::Exec exec;
  driver::Node node;
  bool isShown; ///< what the node does is shown: once repeated, the change is told to the pair
};

} // namespace graphprof::detail

#endif // GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H
