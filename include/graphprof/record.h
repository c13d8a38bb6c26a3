// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was measured: one region of one replay. Plain data, handed to callbacks and outputs.

#ifndef GRAPHPROF_RECORD_H
#define GRAPHPROF_RECORD_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphprof/site.h"
#include "graphprof/value.h"

namespace graphprof {

/// How a region's boundaries were read.
enum class Clock : std::uint8_t {
  Stamp, ///< device timestamps (%globaltimer), on a side chain of the graph
  Event, ///< CUDA events: external ones inside a graph, pooled pairs outside
  Host,  ///< the CPU's clock, where the stream is unknown or there is no device
};

/// What a record is of: a region of the program's, or one node of a graph, which is timed without
/// annotation where GRAPHPROF_NODES=1 asks for it.
enum class Kind : std::uint8_t {
  Region, ///< what an annotation or a Scope stands around
  Kernel, ///< a kernel node, from where it could begin to its end; as are the following
  Memcpy, ///< a copy
  Memset, ///< a memset
  Host,   ///< a host function
  Graph,  ///< a child graph as a whole
};

/// Whose time a record ends with.
enum class Ends : std::uint8_t {
  Completion, ///< its own work was complete
  NextBegin,  ///< the work behind it began: what lies between the two is in the record
};

/// One region of one replay, or one node of its graph. Everything that it points to is valid during
/// the callback only, but for `site`, which lives as long as the program.
struct Record {
  const Site *site;      ///< of a node: one that stands for all of its name, in no file (line 0)
  std::string_view name; ///< the site's format applied to the context values; of a node: the kernel
                         ///< without its parameters, "Memcpy HtoD (Pinned -> Device)", ...
  const Value *context;  ///< contextSize values, in the annotation's order
  std::size_t contextSize;
  std::int64_t launchNs;   ///< host time at which the replay was launched, or the region began on
                           ///< the host; nanoseconds since the Unix epoch
  int depth;               ///< 0 for an outermost region, 1 for a region inside one, ...
  std::int64_t beginNs;    ///< nanoseconds since the Unix epoch, as well as the device's clock is
                           ///< aligned with it
  std::int64_t durationNs; ///< nanoseconds; negative: a boundary was not reached in this replay
  Clock clock;
  bool cold;            ///< first replay after instantiation: kept out of statistics
  int device;           ///< CUDA device ordinal, -1 for host regions
  std::uint64_t stream; ///< the launching stream's id (cuStreamGetId), 0 where unknown
  std::uint64_t graph;  ///< running number of the graph from 1; 0: not in a graph
  std::uint64_t
      replay; ///< running number of the launch of its exec, from 0; counts unrecorded launches too
  std::uint64_t exec;     ///< running number of the exec from 1; 0: not in a graph
  std::int64_t step = -1; ///< running number of the step (graphprof/step.h) in which the replay or
                          ///< the region was launched, from 0; -1: in none
  Kind kind = Kind::Region;
  std::uint32_t region = 0; ///< which of its graph's regions and timed nodes it is of, from 0: the
                            ///< same in every replay; outside graphs 0
  std::int64_t iteration = -1;  ///< of a region in the body of a conditional node: which of the
                                ///< body's iterations in this replay it was (nested: in this
                                ///< iteration of the body around it), from 0; -1: in no body
  Ends ends = Ends::Completion; ///< of a region with NextBegin, it also begins with its first work

  /// Was it measured? Where not, durationNs means nothing.
  [[nodiscard]] bool measured() const { return durationNs >= 0; }
};

} // namespace graphprof

#endif // GRAPHPROF_RECORD_H
