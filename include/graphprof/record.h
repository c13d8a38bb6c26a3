// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What was measured: one region of one replay. Plain data, passed to callbacks and outputs.

#ifndef GRAPHPROF_RECORD_H
#define GRAPHPROF_RECORD_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphprof/site.h"
#include "graphprof/value.h"

namespace graphprof {
inline namespace v1 {

/// How a region's boundaries were read.
enum class Clock : std::uint8_t {
  Stamp, ///< device timestamps (%globaltimer), on a side chain of the graph
  Event, ///< CUDA events: external ones inside a graph, pooled pairs outside
  Host,  ///< the CPU's clock, if the stream is unknown or there is no device
};

/// What a record is about: a region of the program, or one node of a graph. Nodes are timed without
/// annotations, if GRAPHPROF_NODES=1 asks for it.
enum class Kind : std::uint8_t {
  Region, ///< what an annotation or a Scope is around
  Kernel, ///< a kernel node, from where it could begin to its end; so are the following
  Memcpy, ///< a copy
  Memset, ///< a memset
  Host,   ///< a host function
  Graph,  ///< a child graph as a whole
};

/// What a record ends with.
enum class Ends : std::uint8_t {
  Completion, ///< its own work was complete
  NextBegin,  ///< the work behind it began; the gap between the two is in the record
};

/// What is between a node's own end and the begin of what follows it, as far as its graph tells.
enum class GapCause : std::uint8_t {
  Unknown,
  Launch,     ///< the next kernel waits for nothing else: the device takes this long to begin it
  Dependency, ///< what follows also waits for other nodes
  DeviceFull, ///< the next kernel fills the device: it has no room before this one has ended
};

/// One region of one replay, or one node of its graph. What it points to is valid during the
/// callback only, except `site`, which lives as long as the program.
struct Record {
  const Site *site;      ///< of a node: one for all nodes of its name, in no file (line 0)
  std::string_view name; ///< the site's format applied to the context values; of a node: the kernel
                         ///< without its parameters, "Memcpy HtoD (Pinned -> Device)", ...
  const Value *context;  ///< context_size values, in the annotation's order
  std::size_t context_size;
  /// host time at which the replay was launched, or the region began on the host; nanoseconds
  /// since the Unix epoch
  std::int64_t launch_ns;
  int depth; ///< 0 for an outermost region, 1 for a region inside one, ...
  /// nanoseconds since the Unix epoch, as exactly as the device's clock is aligned with it
  std::int64_t begin_ns;
  /// nanoseconds; negative: not measured, or there is nothing in it
  std::int64_t duration_ns;
  Clock clock;
  bool cold;            ///< its replay ran some code for the first time: left out of statistics
  int device;           ///< CUDA device ordinal, -1 for host regions
  std::uint64_t stream; ///< the launching stream's id (cuStreamGetId), 0 where unknown
  std::uint64_t graph;  ///< running number of the graph from 1; 0: not in a graph
  std::uint64_t
      replay; ///< running number of the launch of its exec, from 0; counts unrecorded launches too
  std::uint64_t exec;     ///< running number of the exec from 1; 0: not in a graph
  std::int64_t step = -1; ///< running number of the step (graphprof/step.h) in which the replay or
                          ///< the region was launched, from 0; -1: in none
  Kind kind = Kind::Region;
  std::uint32_t region = 0; ///< which of its graph's regions and timed nodes this is, from 0: the
                            ///< same in every replay; 0 outside graphs
  std::int64_t iteration = -1;  ///< in the body of a conditional node: the body's iteration in this
                                ///< replay (nested: in this iteration of the body around it), from
                                ///< 0; -1: in no body
  Ends ends = Ends::Completion; ///< a region with NextBegin also begins with its own first work
  /// the driver's ids of the program's graph and exec (cuGraphGetId and cuGraphExecGetId,
  /// CUDA 13.1), by which CUDA's own tools know them; 0: it tells none, or not in a graph
  std::uint32_t cuda_graph = 0, cuda_exec = 0;
  /// likewise of the program's node (cuGraphNodeGetLocalId); -1: it tells none, or not a node
  std::int64_t cuda_node = -1;
  /// How long it was busy: from its begin to its own end, both measured; of a region, the sum over
  /// its nodes. The median of `busy_replays` replays of this exec, as far as they were read when
  /// this record was made; nanoseconds; negative: not measured (yet)
  std::int64_t busy_ns = -1;
  /// From its own end to the next begin: the median duration, which holds that gap, less busy_ns;
  /// of a region, the sum over its nodes; nanoseconds; negative: not measured
  std::int64_t gap_ns = -1;
  std::uint32_t busy_replays = 0; ///< 0: busy_ns was not measured
  /// Of the gap, where busy_ns was measured; of a region, if all of its nodes have the same. The
  /// gap itself is measured with Unknown and Launch only
  GapCause gap_cause = GapCause::Unknown;
  /// what its launch serves or, if that has no name, its graph (graphprof/graph_scope.h): "decode
  /// batch=8"; empty: neither has one, or not in a graph
  std::string_view graph_name;

  /// Whether it was measured. If not, duration_ns means nothing.
  [[nodiscard]] bool measured() const { return duration_ns >= 0; }
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_RECORD_H
