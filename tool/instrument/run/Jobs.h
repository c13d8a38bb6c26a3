// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The sources that a command line asks for: where each one's copy goes and how it is compiled.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_JOBS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_JOBS_H

#include "run/Options.h"

namespace graphprof::instrument {

/// One source to instrument.
struct Job {
  std::string Given;  ///< as on the command line
  std::string Real;   ///< the file itself, without symbolic links
  std::string Output; ///< "-" for stdout
  std::vector<std::string> Command;
  std::string Directory; ///< where the command runs; empty: the working directory
  std::string Problem;   ///< why it cannot be done; empty where it can
  std::string Remark;    ///< a message about it in any case; may be empty
};

/// The sources, each once. Nothing after a mistake in the command line, which has then been
/// reported.
std::optional<std::vector<Job>> makeJobs(const Options &Asked);

} // namespace graphprof::instrument

#endif
