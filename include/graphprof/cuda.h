// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected CUDA calls: graphprof::cuda::cudaX does what ::cudaX does, returns what it
// returns, and tells libgraphprof. graphprof-instrument includes this file in every unit that it
// changes.
//
//     graphprof::cuda::cudaGraphLaunch(exec, stream);
//
// Names of CUDA's functions stand in parentheses: a program may have function-like macros of those
// names, which must not expand here.
//
// They are inline, around the translation unit's own runtime API, so a program keeps its cudart
// (static, shared, per-thread default stream).
//
// Copies are timed in steps (graphprof/copies.h). Elsewhere they pass through, at the cost of a
// branch. Allocations and frees are counted.
//
// The overloads and templates are those of cuda_runtime.h, so that a function pointer or a
// program's own conversion finds what it finds there. They call the C functions, because a C++ unit
// may include that header later, or never.

#ifndef GRAPHPROF_CUDA_H
#define GRAPHPROF_CUDA_H

#include <cuda_runtime_api.h>
#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_runtime.h> // the C++ overloads
#endif

#include "graphprof/copies.h"
#include "graphprof/detail/calls_runtime.h"
#include "graphprof/detail/copies_runtime.h"
#include "graphprof/detail/streams.h"
#include "graphprof/detail/timed_copy.h"
#include "graphprof/graph_scope.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"

namespace graphprof {
inline namespace v1 {

namespace detail {
/// As the C functions take it.
template <class T> void **untyped(T **pointer) {
  return static_cast<void **>(const_cast<void *>(static_cast<const volatile void *>(pointer)));
}
} // namespace detail

namespace cuda {

// Graphs and allocations

#define GRAPHPROF_OR(value) = value
#define GRAPHPROF_UNTYPED(pointer) ::graphprof::detail::untyped(pointer)

#define GRAPHPROF_RUNTIME(name, form, where, exports, parameters, arguments)                       \
  GRAPHPROF_RUNTIME_IN_##where(                                                                    \
      GRAPHPROF_FORM_##form(Runtime, inline cudaError_t, (name), (::name), parameters, arguments))
#if CUDART_VERSION >= 13000
#define GRAPHPROF_RUNTIME_EDGES(name, form, exports, parameters, arguments)                        \
  GRAPHPROF_FORM_##form(Runtime, inline cudaError_t, (name), (::name), parameters, arguments)
#else
#define GRAPHPROF_RUNTIME_EDGES(name, form, exports, parameters, arguments)                        \
  GRAPHPROF_FORM_##form(Runtime, inline cudaError_t, (name), (::name##_v2), parameters, arguments)
#endif
#define GRAPHPROF_RUNTIME_CXX(name, form, where, specifiers, parameters, arguments)                \
  GRAPHPROF_RUNTIME_IN_##where(GRAPHPROF_FORM_##form(Runtime, specifiers cudaError_t, (name),      \
                                                     (::name), parameters, arguments))
#define GRAPHPROF_RUNTIME_OVERLOAD(name, where, specifiers, parameters, other, arguments)          \
  GRAPHPROF_RUNTIME_IN_##where(specifiers cudaError_t(name)                                        \
                                   parameters { return (::graphprof::cuda::other)arguments; })
#include "graphprof/detail/calls.def"
#undef GRAPHPROF_UNTYPED

// Copies; the templates are those of cuda_runtime.h

#define GRAPHPROF_NO_STREAM nullptr
#define GRAPHPROF_RUNTIME_COPY(name, parameters, arguments, copy, stream)                          \
  inline cudaError_t(name) parameters {                                                            \
    return detail::copied(                                                                         \
        detail::driverStream(stream), [&] { return copy; }, [&] { return (::name)arguments; });    \
  }
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_NO_STREAM
#undef GRAPHPROF_OR

template <class Symbol>
cudaError_t(cudaMemcpyToSymbol)(const Symbol &symbol, const void *source, size_t count,
                                size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return detail::copied(
      detail::driverStream(nullptr),
      [&] { return graphprof_seam_ofKind(kind, nullptr, source, count); },
      [&] { return (::cudaMemcpyToSymbol)(symbol, source, count, offset, kind); });
}
template <class Symbol>
cudaError_t(cudaMemcpyToSymbolAsync)(const Symbol &symbol, const void *source, size_t count,
                                     size_t offset = 0,
                                     cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                     cudaStream_t stream = nullptr) {
  return detail::copied(
      detail::driverStream(stream),
      [&] { return graphprof_seam_ofKind(kind, nullptr, source, count); },
      [&] { return (::cudaMemcpyToSymbolAsync)(symbol, source, count, offset, kind, stream); });
}
template <class Symbol>
cudaError_t(cudaMemcpyFromSymbol)(void *target, const Symbol &symbol, size_t count,
                                  size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return detail::copied(
      detail::driverStream(nullptr),
      [&] { return graphprof_seam_ofKind(kind, target, nullptr, count); },
      [&] { return (::cudaMemcpyFromSymbol)(target, symbol, count, offset, kind); });
}
template <class Symbol>
cudaError_t(cudaMemcpyFromSymbolAsync)(void *target, const Symbol &symbol, size_t count,
                                       size_t offset = 0,
                                       cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                       cudaStream_t stream = nullptr) {
  return detail::copied(
      detail::driverStream(stream),
      [&] { return graphprof_seam_ofKind(kind, target, nullptr, count); },
      [&] { return (::cudaMemcpyFromSymbolAsync)(target, symbol, count, offset, kind, stream); });
}
#if CUDART_VERSION >= 13000
template <class Target, class Source>
cudaError_t(cudaMemcpyBatchAsync)(Target *const *targets, Source *const *sources,
                                  const size_t *sizes, size_t count,
                                  cudaMemcpyAttributes *attributes, size_t *attributes_of,
                                  size_t attribute_count, cudaStream_t stream) {
  return (::graphprof::cuda::cudaMemcpyBatchAsync)(reinterpret_cast<void *const *>(targets),
                                                   reinterpret_cast<const void *const *>(sources),
                                                   sizes, count, attributes, attributes_of,
                                                   attribute_count, stream);
}
template <class Target, class Source>
cudaError_t(cudaMemcpyBatchAsync)(Target *const *targets, Source *const *sources,
                                  const size_t *sizes, size_t count,
                                  cudaMemcpyAttributes attributes, cudaStream_t stream) {
  size_t attributes_of = 0;
  return (::graphprof::cuda::cudaMemcpyBatchAsync)(targets, sources, sizes, count, &attributes,
                                                   &attributes_of, 1, stream);
}
#endif

} // namespace cuda
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_CUDA_H
