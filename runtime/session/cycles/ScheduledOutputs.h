// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_SCHEDULE: records in some of the program's steps only, for the outputs that the
// environment names. An output that is written whole (table, trace), or whose path has {cycle}, is
// written at the end of each cycle, under a name of its own. Any other streams on through all
// cycles. Does not know CUDA.

#ifndef GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H
#define GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "services/Steps.h"
#include "session/Session.h"
#include "session/cycles/Cycles.h"
#include "session/cycles/Saver.h"

namespace graphprof {

/// Threads: as in Cycles. Steps come from the process's Steps. The first one is step 0 of the
/// schedule, and a step lasts until the next one begins.
class ScheduledOutputs : public StepListener {
public:
  /// The configuration of `session` has a schedule. `handOn`: as in Cycles::Options.
  ScheduledOutputs(Session &session, Saver &saver, std::function<void()> handOn,
                   std::function<std::int64_t()> now);

  void begun(std::int64_t step) noexcept override;
  void ended(std::int64_t step) noexcept override;

  /// Call this when the process ends. Saves the current cycle as it is, and reports if nothing was
  /// recorded.
  void leave();

  /// Wraps `output` so that it gets only what the schedule records.
  [[nodiscard]] std::unique_ptr<Output> gated(std::unique_ptr<Output> output) const;

private:
  void write(const SavedCycle &cycle);
  [[nodiscard]] std::string write(Output &output, const SavedCycle &cycle) const;

  Session &session_;
  const ScheduleArguments schedule_;
  std::vector<std::string> whole_; // items of GRAPHPROF_OUTPUT
  std::shared_ptr<Cycles> cycles_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H
