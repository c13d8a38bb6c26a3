// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which headers belong to the project that the sources are of, and are rewritten with them where
// the user does not say which: calls that change graphs stand there as well, in every wrapper with
// a destructor, and what the library does not see of them changes results.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_PROJECT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_PROJECT_H

#include "run/Jobs.h"

namespace graphprof::instrument {

class Project {
public:
  /// The project's directory is what --project says; else, for each source, the nearest directory
  /// above it that is under version control; else the working directory, if it holds the source;
  /// else the source's own.
  Project(const Options &Asked, llvm::ArrayRef<Job> Sources);

  /// Whether a file that is none of the system's lies in the project. In place, what only a
  /// symbolic link in the project leads to does not.
  [[nodiscard]] bool holds(llvm::StringRef Path) const;

private:
  struct Directory {
    std::string Path; ///< absolute
    std::string Real; ///< without symbolic links
  };
  void add(llvm::StringRef Path);

  std::vector<Directory> Directories;
  bool InPlace;
};

} // namespace graphprof::instrument

#endif
