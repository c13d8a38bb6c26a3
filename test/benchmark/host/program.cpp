// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "program.h"

#include <stdexcept>

#include "../check.h"

namespace benchmark::host {

Stream::Stream() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
Stream::~Stream() { cudaStreamDestroy(stream_); }
void Stream::synchronize() const { CHECK(cudaStreamSynchronize(stream_)); }

PlainExec::PlainExec(cudaStream_t stream, int kernels) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < kernels; ++i)
    launchNothing(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec_, graph, 0));
  CHECK(cudaGraphDestroy(graph));
}
PlainExec::~PlainExec() { cudaGraphExecDestroy(exec_); }
void PlainExec::launch(cudaStream_t stream) const { CHECK(cudaGraphLaunch(exec_, stream)); }

TimedExec::TimedExec(cudaStream_t stream, int regions) {
  const cudaGraph_t graph = captureTimed(stream, regions);
  CHECK(graphprof::cuda::cudaGraphInstantiate(&exec_, graph, 0));
  CHECK(graphprof::cuda::cudaGraphDestroy(graph));
}
TimedExec::~TimedExec() { graphprof::cuda::cudaGraphExecDestroy(exec_); }
void TimedExec::launch(cudaStream_t stream) const {
  CHECK(graphprof::cuda::cudaGraphLaunch(exec_, stream));
}

cudaGraph_t captureTimed(cudaStream_t stream, int regions) {
  cudaGraph_t graph = nullptr;
  CHECK(graphprof::cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < regions; ++i) {
    GRAPHPROF_SCOPE(1, "region {}", ::graphprof::on_stream(stream), i);
    launchNothing(stream);
  }
  CHECK(graphprof::cuda::cudaStreamEndCapture(stream, &graph));
  return graph;
}

void Counter::check(std::uint64_t replays, int regions, const std::string &what) {
  if (!graphprof::flush())
    throw std::runtime_error(what + ": the records did not arrive");
  const std::uint64_t seen = count() - checked_;
  checked_ += seen;
  const std::uint64_t lost = graphprof::losses().overrun - lost_;
  lost_ += lost;
  const std::uint64_t records = (replays - lost) * static_cast<unsigned>(regions);
  if (seen != records)
    throw std::runtime_error(what + ": " + std::to_string(seen) + " records were seen, not " +
                             std::to_string(records) + " (" + std::to_string(lost) +
                             " replays were lost)");
}

} // namespace benchmark::host
