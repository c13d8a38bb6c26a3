// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From what units and headers came to, to what became of each file: where it goes, with which
// lines in front, which messages belong to it. Writes nothing.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_RESULTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_RESULTS_H

#include "run/FileResult.h"
#include "run/Headers.h"
#include "run/Jobs.h"

namespace graphprof::instrument {

class Results {
public:
  explicit Results(const Options &Asked) : Asked(Asked) {}

  /// In the order of the command line.
  FileResult ofSource(const Job &Next, Outcome Unit);
  /// Of a source that could not even be parsed.
  [[nodiscard]] FileResult ofProblem(const Job &Next) const;

  /// The headers, after all sources: those that were rewritten, and those that must lie beside
  /// their copies.
  [[nodiscard]] std::vector<FileResult> ofHeaders(llvm::ArrayRef<Job> Sources);

  /// What the copies are compiled with, before the flags of their commands: directories of the
  /// search path for headers, once ofHeaders has said which are copied.
  [[nodiscard]] llvm::ArrayRef<std::string> headerDirectories() const { return Directories; }
  /// What the commands of the copies have to force in instead of the originals; then as well.
  [[nodiscard]] llvm::ArrayRef<ForcedCopy> forcedCopies() const { return Forced; }

private:
  [[nodiscard]] std::string copyOf(llvm::StringRef Path) const;
  FileResult ofHeader(llvm::StringRef Path, const Headers::Rewritten &Header);
  void putInFront(FileResult &Header, Edit Lines) const;
  [[nodiscard]] bool isForcedIn(llvm::StringRef Real) const;
  void mirrorHeaders(const std::map<std::string, Headers::Rewritten> &Rewritten,
                     llvm::ArrayRef<Job> Sources, std::vector<FileResult> &Into);

  const Options &Asked;
  Headers Chosen;
  llvm::StringSet<> Told; ///< what was said of files that several units include
  std::vector<std::string> Directories;
  std::vector<ForcedCopy> Forced;
};

} // namespace graphprof::instrument

#endif
