// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The command line of graphprof-instrument, read and checked.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_OPTIONS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_OPTIONS_H

#include "record/Launches.h"
#include "run/Instrument.h"
#include "source/CompileArgs.h"
#include "source/HeaderCache.h"

#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace graphprof::instrument {

enum ExitStatus { AllDone = 0, SomeFailed = 1, BadUsage = 2 };

struct Options {
  std::vector<std::string> Sources;     ///< as given; none: all CUDA sources of the database
  CompileFlags Compile;                 ///< the flags behind `--`
  std::vector<std::string> ExtraBefore; ///< flags before a source's own
  std::vector<std::string> Extra;       ///< flags behind them
  std::string Database;                 ///< a compile_commands.json; empty: the flags are all

  std::string OutDir;
  std::string OutFile;  ///< "-" for stdout; empty: below OutDir
  std::string Root;     ///< the directory that corresponds to OutDir
  bool InPlace = false; ///< the sources themselves change, whether that is written or only shown
  bool DryRun = false;  ///< no source and no copy is written
  bool Diff = false;
  std::string Fixes;    ///< "-" for stdout; empty: none
  std::string Report;   ///< "-" for stdout; empty: none
  unsigned Threads = 0; ///< 0: as many as there are processors

  bool Strict = false;
  bool Verify = false;
  std::optional<llvm::Regex> HeaderFilter; ///< instead of the project's headers
  std::string Project;                     ///< its directory; empty: found from the sources
  bool NoHeaders = false;
  bool AllowUnredirected = false; ///< calls that change graphs; see changesGraphs()

  bool AutoLaunches = false;
  bool AutoFunctions = false;
  std::optional<llvm::Regex> Select; ///< of what --auto finds; by qualified names
  std::optional<llvm::Regex> Exclude;
  bool DropAnnotations = false;    ///< for graphprof-cc
  std::vector<BrokenPlace> Broken; ///< likewise
  bool NoMemory = false;           ///< copies and allocations stay as they are
  HeaderCacheSettings Kept;        ///< where the parse of the toolkit's headers is kept
};

/// Nothing after a mistake in the command line, which has then been reported.
std::optional<Options> readOptions(int Count, const char **Words);

/// What --auto, --select and --exclude ask for. The result refers to `Asked`.
Automatic automatic(const Options &Asked);

/// Begins a line of the tool on stderr.
llvm::raw_ostream &complain();

} // namespace graphprof::instrument

#endif
