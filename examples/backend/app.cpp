// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program on tick, with regions around the work of a stream, which graphprof times with the
// backend that GRAPHPROF_BACKEND names.

#include <graphprof/backend.h>
#include <graphprof/graphprof.h>

#include <cstdio>

#include "tick.h"

namespace {

// A device's stream, for graphprof's regions.
graphprof::StreamRef on(tick::Stream *stream) {
  return graphprof::StreamRef(reinterpret_cast<CUstream_st *>(stream));
}

} // namespace

int main() {
  const graphprof_backend &backend = *graphprof_backend_chosen();
  std::printf("backend: %s\n", backend.name);

  tick::Stream *const stream = tick::createStream();
  for (int layer = 0; layer < 3; ++layer) {
    GRAPHPROF_SCOPE(1, "layer {}", on(stream), layer);
    tick::work(stream, 50);
    {
      GRAPHPROF_SCOPE(2, "[Layer {}] relu", on(stream), layer);
      tick::work(stream, 20);
    }
  }
  tick::destroyStream(stream);
}
