// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-cc's own options, from the command line before the compiler and from the environment,
// and the paths of graphprof's other parts. Does not interpret the compile command.

#ifndef GRAPHPROF_TOOL_LAUNCHER_LAUNCHEROPTIONS_H
#define GRAPHPROF_TOOL_LAUNCHER_LAUNCHEROPTIONS_H

#include "nvcc/Command.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace graphprof::launcher {

struct LauncherOptions {
  bool Strict = false;                ///< what cannot be instrumented is an error
  bool AllowUnredirected = false;     ///< sources that change graphs may stay uninstrumented, too
  bool Keep = false;                  ///< the copies stay beside the object
  bool Verbose = false;               ///< show the tool's summaries, and the commands
  bool Help = false;                  ///< --help, the first word
  bool Version = false;               ///< --version, the first word
  std::optional<nvcc::Compiler> Like; ///< how to read the command of an unknown compiler
  std::vector<std::string> ForTool;   ///< options that are graphprof-instrument's
  std::vector<std::string> Command;   ///< the compile command

  std::string Instrument; ///< the tool; empty: not found
  std::string Include;    ///< graphprof's headers; empty: not found
};

/// Reads GRAPHPROF_CC_OPTIONS, the other variables, and the words. `Self` is this program's path
/// with links resolved. Fails if an option is unknown or lacks its value.
llvm::Expected<LauncherOptions> readOptions(llvm::ArrayRef<std::string> Words,
                                            const std::string &Self);

/// The text of --help.
std::string helpText();

} // namespace graphprof::launcher

#endif
