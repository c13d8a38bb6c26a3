// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a command line asks for, source by source: where each goes and how it is compiled.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_JOBS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_JOBS_H

#include "run/Options.h"

namespace graphprof::instrument {

/// One source to do.
struct Job {
  std::string Given;  ///< as on the command line
  std::string Real;   ///< the file itself, without symbolic links
  std::string Output; ///< "-" for stdout
  std::vector<std::string> Command;
  std::string Directory; ///< where the command runs; empty: the working directory
  std::string Problem;   ///< why it cannot be done; empty where it can
  std::string Remark;    ///< to be said of it in any case; may be empty
};

/// The sources, each once; nothing where the command line makes no sense, which has then been said.
std::optional<std::vector<Job>> makeJobs(const Options &Asked);

} // namespace graphprof::instrument

#endif
