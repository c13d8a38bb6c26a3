// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Streams: a FIFO of device work of which only the end of the last piece is kept, because each
// piece's time is known when it is enqueued. Also the legacy stream's barriers, and where work goes
// while a stream is captured.

#ifndef CUDASIM_SRC_STREAM_H
#define CUDASIM_SRC_STREAM_H

#include "Capture.h"

#include <cstdint>
#include <memory>

struct CUstream_st {
  enum class Kind { Created, Legacy, PerThread };

  bool isLegacy() const { return kind == Kind::Legacy; }
  bool isBlocking() const { return !(flags & cudaStreamNonBlocking); }

  Kind kind = Kind::Created;
  unsigned long long id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t tailNs = 0; // when all work so far ends

  std::shared_ptr<cudasim::Capture> capture; // null unless capturing
  cudasim::Frontier frontier;
};

namespace cudasim {

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

cudaError_t streamCreate(Device &device, cudaStream_t *stream, unsigned flags, int priority);
cudaError_t streamDestroy(Device &device, cudaStream_t stream);
cudaError_t streamSynchronize(Device &device, cudaStream_t stream);
cudaError_t streamQuery(Device &device, cudaStream_t stream);
cudaError_t streamWaitEvent(Device &device, cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t streamGetId(Device &device, cudaStream_t stream, unsigned long long *id);
cudaError_t deviceSynchronize(Device &device);

// When the next work of stream can start.
std::uint64_t readyNs(Device &device, const CUstream_st &stream);

// Runs op in stream and says when, or adds it to the graph that stream is captured into.
cudaError_t submit(Device &device, CUstream_st &stream, Op op, OpTimes *times = nullptr);
cudaError_t submit(Device &device, cudaStream_t stream, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_STREAM_H
