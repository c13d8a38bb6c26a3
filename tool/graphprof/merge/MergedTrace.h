// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One Chrome trace of a job: the ranks as processes, on one clock. Reads the recordings once more,
// because the clocks are known only when all have been read.

#ifndef GRAPHPROF_TOOL_MERGE_MERGEDTRACE_H
#define GRAPHPROF_TOOL_MERGE_MERGEDTRACE_H

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "Job.h"
#include "JobClocks.h"
#include "output/formats/chrome_trace/ChromeTrace.h"

namespace graphprof {

class MergedTrace : public RecordingsListener {
public:
  /// Keeps at most `maxRecords` records of all ranks together; each rank may have its share.
  MergedTrace(std::string path, std::size_t maxRecords, const Job &job, const JobClocks &clocks);

  void file(const std::string & /*path*/) override {}
  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void end(const RecordedEnd &end) override;
  /// Returns why the file could not be written, or an empty text.
  [[nodiscard]] std::string close();
  /// Ranks that are left out, because their clocks are not known.
  [[nodiscard]] std::size_t leftOut() const;

private:
  [[nodiscard]] bool shows(std::size_t rank) const { return clocks_.of(rank).known; }

  const std::string path_;
  const std::size_t maxRecords_;
  const Job &job_;
  const JobClocks &clocks_;
  std::vector<std::size_t> rankOf_; // the place of the rank, by the number of the run
  std::size_t run_ = SIZE_MAX;      // the current one
  std::deque<ChromeTrace> traces_;  // one for each run that is shown
  std::vector<ChromeTrace::Part> parts_;
  std::string failed_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_MERGEDTRACE_H
