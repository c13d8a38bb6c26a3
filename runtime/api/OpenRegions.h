// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions that a thread has open. A thread's own: no locks.

#ifndef GRAPHPROF_API_OPENREGIONS_H
#define GRAPHPROF_API_OPENREGIONS_H

#include <memory>
#include <vector>

#include "graph/Eager.h"
#include "graph/Registry.h"

namespace graphprof {

/// One open region: of a graph under capture (registry is set), or eager (group and index).
struct OpenRegion {
  std::shared_ptr<Registry> registry;
  std::size_t index;     ///< in the registry, or in the thread's eager group
  driver::Stream stream; ///< where the region's end is marked
};

struct OpenRegions {
  std::vector<std::unique_ptr<OpenRegion>> stack; ///< innermost last
  std::vector<EagerRegion> eager; ///< the eager regions since the outermost one began
  std::size_t eagerOpen = 0;      ///< how many of the stack are eager
  std::vector<driver::Stream>
      capturing; ///< captures that this thread began and that have not ended, newest last

  static OpenRegions &ofThisThread();
};

} // namespace graphprof

#endif // GRAPHPROF_API_OPENREGIONS_H
