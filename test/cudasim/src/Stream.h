// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Streams: FIFOs of device work. Only the end of the last piece is kept, because times are known
// when work is enqueued. Also the barriers of the legacy stream, and where the work of a captured
// stream goes.

#ifndef CUDASIM_SRC_STREAM_H
#define CUDASIM_SRC_STREAM_H

#include "Capture.h"

#include <cstdint>
#include <memory>

struct CUctx_st;

struct CUstream_st {
  enum class Kind { Created, Legacy, PerThread };

  bool isLegacy() const { return kind == Kind::Legacy; }
  bool isBlocking() const { return !(flags & cudaStreamNonBlocking); }

  Kind kind = Kind::Created;
  unsigned long long id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t tailNs = 0;    // when all work so far ends
  CUctx_st *context = nullptr; // null: the primary one

  std::shared_ptr<cudasim::Capture> capture; // null unless capturing
  cudasim::Frontier frontier;
};

namespace cudasim {

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

cudaError_t streamCreate(Device &device, cudaStream_t *stream, unsigned flags, int priority,
                         CUctx_st *context = nullptr);
cudaError_t streamDestroy(Device &device, cudaStream_t stream);
cudaError_t streamSynchronize(Device &device, cudaStream_t stream);
cudaError_t streamQuery(Device &device, cudaStream_t stream);
cudaError_t streamWaitEvent(Device &device, cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t streamGetId(Device &device, cudaStream_t stream, unsigned long long *id);
cudaError_t deviceSynchronize(Device &device);

// When the stream's next work can start.
std::uint64_t readyNs(Device &device, const CUstream_st &stream);

// Runs an op in a stream and returns its times, or adds it to the graph of the stream's capture.
cudaError_t submit(Device &device, CUstream_st &stream, Op op, OpTimes *times = nullptr);
cudaError_t submit(Device &device, cudaStream_t stream, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_STREAM_H
