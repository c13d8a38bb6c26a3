// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Streams as the program names them, and as the driver API takes them.

#ifndef GRAPHPROF_DETAIL_STREAMS_H
#define GRAPHPROF_DETAIL_STREAMS_H

#include <cstdint>

#include "graphprof/scope.h"

struct CUstream_st;

namespace graphprof {
inline namespace v1 {

namespace detail {

using Stream = CUstream_st *;

/// Under nvcc --default-stream per-thread, 0 is the thread's stream.
inline Stream driverStream(Stream stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
  constexpr std::uintptr_t perThread = 2; // cudaStreamPerThread
  return stream ? stream : reinterpret_cast<Stream>(perThread);
#else
  return stream;
#endif
}

} // namespace detail

/// The stream of a region, as either API names it.
inline StreamRef on_stream(detail::Stream stream) {
  return StreamRef(detail::driverStream(stream));
}

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_STREAMS_H
