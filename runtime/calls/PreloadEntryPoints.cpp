// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// libgraphprof_preload.so calls this when the process begins to use CUDA, destroys a stream, and
// leaves without exit(): by _exit() and similar.

#include "calls/Following.h"
#include "cuda/Driver.h"
#include "graph/registry/JoinedStreams.h"
#include "process/Lifetime.h"
#include "process/Process.h"

namespace {
// The same bound as for signals (Signals.cpp): others may be waiting for the process to end.
constexpr std::chrono::milliseconds most{2000};
} // namespace

// A child that is forked from now on has no CUDA (Lifetime.cpp).
extern "C" __attribute__((visibility("default"))) void graphprof_preload_cuda_began() {
  (void)graphprof::driver::functions();
  (void)graphprof::internal::contained([] { graphprof::process().joinedStreams.follow(); });
}

extern "C" __attribute__((visibility("default"))) void
graphprof_preload_stream_destroying(CUstream_st *stream) {
  graphprof::internal::whileTracking(
      [&] { graphprof::process().joinedStreams.destroying(stream); });
}

extern "C" __attribute__((visibility("default"))) void graphprof_preload_leaving() {
  graphprof::leaveWithin(most);
}
