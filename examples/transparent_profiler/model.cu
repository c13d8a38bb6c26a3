// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The layer with the profiler, written by hand: the code that graphprof-instrument would insert,
// and a function that gets every region of every replay.

#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

#include "../common/model.cuh"

namespace {

/// Called on graphprof's thread, in capture order, after each replay.
void dump(const graphprof::Record &record) {
  const auto layer = static_cast<int>(record.context[0].as_signed());
  const auto nameLength = static_cast<int>(record.name.size());
  if (record.measured())
    std::printf("[Layer %d] %.*s took %.3f ms\n", layer, nameLength, record.name.data(),
                static_cast<double>(record.duration_ns) * 1e-6);
  else
    std::printf("[Layer %d] %.*s was not measured\n", layer, nameLength, record.name.data());
}

const graphprof::Profiler profiler(dump);

__global__ void add(float *x, const float *offset, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += offset[i];
}

__global__ void relu(float *x, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.0F)
    x[i] = 0.0F;
}

} // namespace

void Layer::forward(float *x, cudaStream_t stream) const {
  const std::size_t n = offset_.size();
  const int blocks = example::blocksFor(n);
  {
    GRAPHPROF_SCOPE(1, "add", graphprof::on_stream(stream), graphprof::key("layer", id_));
    add<<<blocks, example::threadsPerBlock, 0, stream>>>(x, offset_.data(), n);
  }
  {
    GRAPHPROF_SCOPE(2, "relu", graphprof::on_stream(stream), graphprof::key("layer", id_));
    relu<<<blocks, example::threadsPerBlock, 0, stream>>>(x, n);
  }
}
