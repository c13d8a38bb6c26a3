// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes to stderr: messages, a line for each file, and progress.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_SUMMARY_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_SUMMARY_H

#include "run/FileResult.h"
#include "run/Options.h"

namespace graphprof::instrument {

class Summary {
public:
  explicit Summary(const Options &Asked);

  /// Shows a file's messages, then its line.
  void showFile(const FileResult &Done);

  /// Shows progress for runs of many sources: on a terminal in a line that the next message
  /// replaces, otherwise in a line now and then.
  void showProgress(size_t Done, size_t Total, llvm::StringRef Next);

  /// If headers were copied: shows the directories and forced headers for compiling the copies.
  void showHeaders(llvm::ArrayRef<std::string> Directories, llvm::ArrayRef<std::string> Quoted,
                   llvm::ArrayRef<ForcedCopy> Forced);

  /// For several sources: shows at the end what was not instrumented, and why.
  void showFailures(llvm::ArrayRef<FileResult> Files);

private:
  void tellCounts(const FileResult &Done);
  void showDirectory(const FileResult &Done);
  void wipe();

  const Options &Asked;
  bool OnTerminal = false;
  bool Showing = false; ///< a progress line that the next message replaces
};

} // namespace graphprof::instrument

#endif
