// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Shows steps as host spans. A step belongs to the thread that began it, even if another one ends
// it.

#ifndef GRAPHPROF_PROCESS_STEPSPANS_H
#define GRAPHPROF_PROCESS_STEPSPANS_H

#include <cstdint>
#include <memory>

#include "host/HostSpanQueue.h"
#include "services/Steps.h"

namespace graphprof {

class HostSpans;
class Session;

/// One step is open at a time. Called under the lock of Steps.
class StepSpans : public StepListener {
public:
  StepSpans(Session &session, HostSpans &spans) noexcept : session_(session), spans_(spans) {}

  void begun(std::int64_t step) noexcept override;
  void ended(std::int64_t step) noexcept override;

private:
  Session &session_;
  HostSpans &spans_;
  std::shared_ptr<const HostThread> thread_; // of the open step; null: none is open
  std::int64_t beginNs_ = 0;
  std::uint64_t nvtx_ = 0; // the range of NVTX's tools; 0: none
};

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_STEPSPANS_H
