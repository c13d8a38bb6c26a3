// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a run tells the user on stderr: messages, a line a file, how far it is.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SUMMARY_H
#define GRAPHPROF_TOOL_INSTRUMENT_SUMMARY_H

#include "FileResult.h"
#include "Options.h"

namespace graphprof::instrument {

class Summary {
public:
  explicit Summary(const Options &Asked) : Asked(Asked) {}

  /// The file's messages, then its line.
  void tell(const FileResult &Done);

  /// With which directories the copies are compiled, where headers were copied.
  void tellDirectories(llvm::ArrayRef<std::string> Directories);

private:
  void tellCounts(const FileResult &Done);

  const Options &Asked;
};

} // namespace graphprof::instrument

#endif
