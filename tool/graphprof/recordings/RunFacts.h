// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a recording says of its run: the process, the devices, the driver, what was lost.

#ifndef GRAPHPROF_TOOL_RECORDINGS_RUNFACTS_H
#define GRAPHPROF_TOOL_RECORDINGS_RUNFACTS_H

#include <string>
#include <vector>

#include "Recordings.h"
#include "output/data/NotRecorded.h"
#include "output/data/Run.h"

namespace graphprof {

struct RunFacts {
  std::string file; ///< as given
  Run run;
  std::vector<std::string> devices; ///< names, in the order of their ordinals
  std::string driver;               ///< "CUDA 13.0, 580.159.04"; empty: unknown
  std::string backend;              ///< empty: unknown
  Losses losses{};
  std::string missing;              ///< of the file; empty: nothing
  std::vector<std::string> remarks; ///< of the program; bounded
  NotRecorded notRecorded;

  void take(const Batch &batch);
  /// "program (pid 12, rank 1 on host)".
  [[nodiscard]] std::string name() const;
};

/// Keeps the facts of each run. What derives from it and overrides a function calls that of this
/// class first.
class RunsListener : public RecordingsListener {
public:
  void file(const std::string &path) override { file_ = path; }
  void begin(const Run &run) override;
  void add(const Batch &batch) override { runs_.back().take(batch); }
  void end(const RecordedEnd &end) override;
  [[nodiscard]] const std::vector<RunFacts> &runs() const { return runs_; }

private:
  std::string file_; // the current one
  std::vector<RunFacts> runs_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_RUNFACTS_H
