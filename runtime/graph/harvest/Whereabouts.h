// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a replay in flight is: which of its nodes and regions have begun and not ended, which ended
// last, and what comes behind. Pure: computed from the table of the graph and the stamps that are
// there. Knows no driver and no text.
//
// It says only what stamps prove. A stamp behind work proves that this work has ended; a stamp on
// the launch completion of a kernel proves that the kernel has begun, and that what was before it
// has ended. A stamp that is not there proves nothing: it is a kernel, and may have found no room.

#ifndef GRAPHPROF_GRAPH_HARVEST_WHEREABOUTS_H
#define GRAPHPROF_GRAPH_HARVEST_WHEREABOUTS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/launch/InFlight.h"
#include "graphprof/record.h"

namespace graphprof {

/// A node or a region. Without nodes that are timed, there are only regions.
struct NamedWork {
  Kind kind = Kind::Region;
  std::string name;
  std::vector<std::string> within; ///< the regions around it, outermost first
};

/// Work that may run: all that it waits for has ended, and no end of its own is stamped.
struct OpenWork : NamedWork {
  /// Whether it has certainly begun: a stamp waited for that. If not, it may wait for room.
  bool hasBegun = false;
  std::int64_t sinceNs = 0;    ///< when it began, or could begin, on the host's axis
  std::size_t behind = 0;      ///< how many nodes come behind it, as far as they are timed
  std::vector<NamedWork> next; ///< those that come directly behind it, some of them
};

struct Whereabouts {
  std::vector<OpenWork> open;    ///< the innermost, in capture order
  std::optional<NamedWork> last; ///< what ended last
  std::int64_t lastEndNs = 0;
  std::size_t ended = 0, stamped = 0; ///< nodes, or regions if no node is timed
  bool countsNodes = false;           ///< which of them
};

/// Of a replay that has begun.
[[nodiscard]] Whereabouts whereaboutsOf(const ReplayInFlight &replay);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_WHEREABOUTS_H
