// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_SCHEDULE: the outputs that the environment asks for, recording in some of the program's
// steps only. An output that is written whole, as the table and the trace are, is written at the
// end of each cycle, under a name of its own; one that streams goes on through all of them. Knows
// nothing of CUDA.

#ifndef GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H
#define GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/Session.h"
#include "session/cycles/Cycles.h"
#include "session/cycles/Saver.h"
#include "session/cycles/Steps.h"

namespace graphprof {

/// Threads: as Cycles. Steps come from the process's Steps; step 0 of the schedule is the first
/// one, and a step lasts until the next one begins.
class ScheduledOutputs : public StepListener {
public:
  /// `session`'s configuration has a schedule. `handOn` as in Cycles::Options.
  ScheduledOutputs(Session &session, Saver &saver, std::function<void()> handOn,
                   std::function<std::int64_t()> now);

  void begun(std::int64_t step) noexcept override;
  void ended(std::int64_t step) noexcept override;

  /// The process ends: the cycle at hand is saved as it is. What is missing is said.
  void leave();

  /// `output`, getting what the schedule records and nothing else.
  [[nodiscard]] std::unique_ptr<Output> gated(std::unique_ptr<Output> output) const;

private:
  class Gate;

  void write(const SavedCycle &cycle);
  [[nodiscard]] std::string write(Output &output, const SavedCycle &cycle) const;

  Session &session_;
  const ScheduleArguments schedule_;
  std::vector<std::string> whole_; // items of GRAPHPROF_OUTPUT
  std::shared_ptr<Cycles> cycles_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SCHEDULEDOUTPUTS_H
