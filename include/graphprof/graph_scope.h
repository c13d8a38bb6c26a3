// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graph serves: a name and values, which all outputs show in place of its number. Knows
// nothing of CUDA.

#ifndef GRAPHPROF_GRAPH_SCOPE_H
#define GRAPHPROF_GRAPH_SCOPE_H

#include <cstddef>

#include "graphprof/control.h"
#include "graphprof/detail/export.h"
#include "graphprof/value_ref.h"

namespace graphprof {

class FlatGraph; // the library's own: a GraphScope with as many values as it is given (capi.h)

inline namespace v1 {

/// Names the graphs that this thread begins to capture, or creates node by node, while the guard
/// lives; those without a name that it instantiates; and its launches. The innermost guard counts.
/// A graph keeps its name: its clones, and what it is after an edit, have it, too. A launch without
/// a name goes by its graph's.
///
///     for (const int n : {1, 2, 4, 8}) {
///       graphprof::GraphScope serves("decode", graphprof::key("batch", n));
///       cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
///       decode(stream, n);
///       cudaStreamEndCapture(stream, &graphs[n]);
///     }
///
/// Outputs call the graph `decode batch=8`, and `graphprof report --group-by graph` has a row for
/// each such text. Values without a key fill the `{}` of the name. Give few different names: a
/// batch size, not the number of a request.
///
/// It belongs to the thread that makes it. Never throws; costs a load and a branch when graphprof
/// is disabled.
///
/// Source of the idea: the batch sizes for which vLLM captures graphs, and pads to.
class GRAPHPROF_API GraphScope {
public:
  /// A guard that names nothing.
  GraphScope() noexcept = default;
  template <class... Values>
  explicit GraphScope(const char *name, const Values &...values) noexcept {
    if (!active())
      return;
    const ValueRef all[] = {ValueRef(values)...,
                            ValueRef(0)}; // the last one only keeps the array non-empty
    begin(name, all, sizeof...(Values));
  }
  ~GraphScope() {
    if (open_)
      end();
  }
  GraphScope(const GraphScope &) = delete;
  GraphScope &operator=(const GraphScope &) = delete;

private:
  friend class graphprof::FlatGraph;
  void begin(const char *name, const ValueRef *values, std::size_t size) noexcept;
  void begin(const char *name, const Value *values, std::size_t size) noexcept;
  void end() noexcept;

  void *open_ = nullptr; // graph/registry/OpenGraphName
};

} // namespace v1
} // namespace graphprof

// Names graphs until the end of the enclosing scope:
//
//     GRAPHPROF_GRAPH(1, "decode", graphprof::key("batch", n));
//
// `id` tells several guards in one scope apart. The values are evaluated once, and only while
// graphprof is active. Empty in the device pass of a __host__ __device__ function.
#ifdef __CUDA_ARCH__
#define GRAPHPROF_GRAPH(id, ...) static_assert(true, "")
#else
#define GRAPHPROF_GRAPH(id, ...)                                                                   \
  const ::graphprof::GraphScope graphprofGraph##id =                                               \
      ::graphprof::active() ? ::graphprof::GraphScope(__VA_ARGS__) : ::graphprof::GraphScope()
#endif

#endif // GRAPHPROF_GRAPH_SCOPE_H
