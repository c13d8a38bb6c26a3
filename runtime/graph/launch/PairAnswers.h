// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A pair's answers to the calls of the program that it follows: how to launch an exec, and where to
// repeat a change of one of its nodes.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H
#define GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H

#include <cstdint>

#include "cuda/DriverApi.h"

namespace graphprof::internal {

enum class Launch {
  Done,          ///< launched, on the profiled exec or the program's own
  Plain,         ///< launch the program's own exec
  PlainThenMark, ///< the same, then call Pair::launchedPlain()
};

/// `exec` is null if there is nothing to repeat.
struct Twin {
  driver::Exec exec;
  driver::Node node;
  bool isShown; ///< records show the node's work: tell the pair of the change afterwards
};

/// What became of the times of an exec of which a child node got another graph.
enum class ChildChange : std::uint8_t {
  Followed,
  ChildUntimed, ///< the child is not timed any more
  ExecUntimed,  ///< nothing of the exec is
};

} // namespace graphprof::internal

#endif // GRAPHPROF_GRAPH_LAUNCH_PAIRANSWERS_H
