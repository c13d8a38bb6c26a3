// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One clock for the processes of a page: that of `graphprof merge`. The ranks of a job are aligned
// through their collectives; processes that are no job share a clock if they share a host.

#ifndef GRAPHPROF_TOOL_HTML_JOBTIMES_H
#define GRAPHPROF_TOOL_HTML_JOBTIMES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "merge/Job.h"
#include "merge/JobClocks.h"
#include "merge/Matching.h"
#include "output/statistics/Distribution.h"
#include "recordings/Recordings.h"

namespace graphprof {

class JobTimes : public RecordingsListener {
public:
  void file(const std::string &path) override { job_.file(path); }
  void begin(const Run &run) override { job_.begin(run); }
  void add(const Batch &batch) override { job_.add(batch); }
  void end(const RecordedEnd &end) override { job_.end(end); }
  void finish();

  /// Whether there are two processes or more with one clock.
  [[nodiscard]] bool known() const { return clocks_ != nullptr; }
  /// Whether they are ranks that have launches in common. The members below need known().
  [[nodiscard]] bool isJob() const { return isJob_; }
  [[nodiscard]] const Job &job() const { return job_; }
  [[nodiscard]] const JobClocks &clocks() const { return *clocks_; }
  /// Whether this run is on the first one's clock.
  [[nodiscard]] bool knows(std::size_t run) const { return clocks_->of(rankOf_[run]).known; }
  /// A time of the run's, by the first clock, since the first process began. The run's clock must
  /// be known.
  [[nodiscard]] std::int64_t sinceFirstNs(std::size_t run, std::int64_t ns) const {
    return clocks_->toFirst(rankOf_[run], ns) - firstNs_;
  }
  [[nodiscard]] double uncertaintyNs(std::size_t run) const {
    return clocks_->uncertaintyNs(rankOf_[run]);
  }
  /// Of the launches that all ranks recorded, without cold ones: by how much this rank's device
  /// work began later than that of the first to begin. Empty if there are none.
  [[nodiscard]] const Distribution &behind(std::size_t run) const { return behind_[rankOf_[run]]; }

private:
  void compareBegins(const Matching &matching);

  Job job_{WhichCollectives(), false};
  bool isJob_ = false;
  std::unique_ptr<JobClocks> clocks_;
  std::vector<std::size_t> rankOf_;  // by run
  std::vector<Distribution> behind_; // by the rank's place
  std::int64_t firstNs_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_JOBTIMES_H
