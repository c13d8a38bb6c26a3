// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether the program may capture a graph once more (CUDA 13.3). Such a capture has to find the
// graph as the program made it, and CUDA lets nobody remove nodes from a graph with memory or
// conditional nodes. So a graph that may be captured once more gets no timing nodes that would have
// to stay (Choice.cpp, CaptureBoundaries::neverMark()).
//
// A program does so through a redirected call, which is in the program from the beginning; or,
// under `graphprof run` and in code that is not instrumented, through a function that it may look
// up at any time.

#ifndef GRAPHPROF_GRAPH_REGISTRY_RECAPTURES_H
#define GRAPHPROF_GRAPH_REGISTRY_RECAPTURES_H

#include <atomic>

namespace graphprof {

struct Config;

enum class CaptureBegin : bool {
  Seen,
  NotSeen, ///< code that is not instrumented began it
};

class Recaptures {
public:
  /// From now on the program may: a part of it was loaded that has a redirected call, or
  /// libgraphprof_preload.so sees all calls. Any thread, at any time, also before constructors have
  /// run.
  static void mayCome() noexcept { areExpected.store(true, std::memory_order_relaxed); }
  /// May the program capture a graph of such a capture once more? Never with a driver that cannot.
  [[nodiscard]] static bool arePossible(const Config &config, CaptureBegin begun);

private:
  static constinit inline std::atomic<bool> areExpected{false};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_RECAPTURES_H
