// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where what was measured goes. Who measures knows this and no outputs.

#ifndef GRAPHPROF_OUTPUT_DATA_REPLAYSINK_H
#define GRAPHPROF_OUTPUT_DATA_REPLAYSINK_H

#include <cstdint>
#include <span>

#include "graphprof/host_span.h"
#include "output/data/GraphMemory.h"
#include "output/data/KernelRun.h"
#include "output/data/Replay.h"

namespace graphprof {

/// Any thread may call any member. Arguments are valid during the call.
class ReplaySink {
public:
  virtual ~ReplaySink() = default;
  virtual void consume(const Replay &replay) noexcept = 0;
  virtual void consume(std::span<const HostSpan> spans) noexcept = 0;
  /// The runs of one replay's kernels with regions inside.
  virtual void consume(std::span<const KernelRun> runs) noexcept = 0;
  /// What a graph took of the device's memory.
  virtual void consume(const GraphMemoryStep &) noexcept {}
  /// Whether anybody wants KernelRun::spans.
  [[nodiscard]] virtual bool wantsWarpSpans() const noexcept { return false; }
  /// Nothing more of the steps before `step` comes.
  virtual void settled(std::int64_t step) noexcept = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_REPLAYSINK_H
