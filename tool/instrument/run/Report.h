// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a run did, as JSON for programs: --report. docs/instrument-report.md describes the fields.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_REPORT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_REPORT_H

#include "run/FileResult.h"

namespace graphprof::instrument {

struct RunResult {
  std::vector<FileResult> Files;         ///< sources in the order of the command line, then headers
  std::vector<std::string> IncludeFlags; ///< for the copies, before their own, in this order
  std::vector<ForcedCopy> ForcedIncludes;
  int ExitStatus = 0;
};

/// The report as JSON.
std::string report(const RunResult &Done);

} // namespace graphprof::instrument

#endif
