// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a run tells the user on stderr: messages, a line a file, how far it is.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_SUMMARY_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_SUMMARY_H

#include "run/FileResult.h"
#include "run/Options.h"

namespace graphprof::instrument {

class Summary {
public:
  explicit Summary(const Options &Asked);

  /// The file's messages, then its line.
  void tell(const FileResult &Done);

  /// Where many sources are to be done, how far it is: on a terminal in a line that the next
  /// message replaces, elsewhere in a line now and then.
  void tellProgress(size_t Done, size_t Total, llvm::StringRef Next);

  /// With which directories and forced headers the copies are compiled, where headers were copied.
  void tellHeaders(llvm::ArrayRef<std::string> Directories, llvm::ArrayRef<ForcedCopy> Forced);

  /// After several sources: what was not instrumented, and why.
  void tellEnd(llvm::ArrayRef<FileResult> Files);

private:
  void tellCounts(const FileResult &Done);
  void tellDirectory(const FileResult &Done);
  void wipe();

  const Options &Asked;
  bool OnTerminal = false;
  bool Showing = false; ///< a line that is to be replaced
};

} // namespace graphprof::instrument

#endif
