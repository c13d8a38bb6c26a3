// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Steps as host spans. A step belongs to the thread that began it, whoever ends it.

#ifndef GRAPHPROF_API_STEPSPANS_H
#define GRAPHPROF_API_STEPSPANS_H

#include <cstdint>
#include <memory>

#include "session/cycles/Steps.h"
#include "session/host/HostSpanQueue.h"

namespace graphprof {

/// One step at a time is open: called under the lock of Steps.
class StepSpans : public StepListener {
public:
  void begun(std::int64_t step) noexcept override;
  void ended(std::int64_t step) noexcept override;

private:
  std::shared_ptr<const HostThread> thread_; // that began it; null: nothing is open
  std::int64_t beginNs_ = 0;
  std::uint64_t nvtx_ = 0; // what NVTX's tools were told of; 0: nothing
};

} // namespace graphprof

#endif // GRAPHPROF_API_STEPSPANS_H
