// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which headers belong to the project of the sources. Those are rewritten with the sources
// unless the user chooses headers: wrappers with destructors, for example, change graphs in
// headers, and if the library misses such a call, results change.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_PROJECT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_PROJECT_H

#include "run/Jobs.h"

namespace graphprof::instrument {

class Project {
public:
  /// The project's directory is that of --project; otherwise, for each source, the nearest
  /// directory above it that is under version control; otherwise the working directory if it
  /// contains the source; otherwise the source's own.
  Project(const Options &Asked, llvm::ArrayRef<Job> Sources);

  /// Whether a non-system file is in the project. If sources are rewritten in place, files that are
  /// only reached through a symbolic link in the project are not.
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
