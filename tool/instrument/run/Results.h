// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turns the outcomes of units and headers into results for files: the output path, the lines in
// front, and the messages of each. Writes nothing.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_RESULTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_RESULTS_H

#include "run/FileResult.h"
#include "run/Headers.h"
#include "run/Jobs.h"

namespace graphprof::instrument {

class Results {
public:
  explicit Results(const Options &Asked) : Asked(Asked) {}

  /// The result for a source. Call it in the order of the command line.
  FileResult ofSource(const Job &Next, Outcome Unit);
  /// The result for a source that could not be parsed at all.
  [[nodiscard]] FileResult ofProblem(const Job &Next) const;

  /// The results for headers, after all sources: rewritten headers, and headers that must be beside
  /// their copies.
  [[nodiscard]] std::vector<FileResult> ofHeaders(llvm::ArrayRef<Job> Sources);

  /// Leads the directives that name their file by an absolute path or through `..`, or look for the
  /// next one, from copies to copies. Call it once all files are known.
  void followDirectives(std::vector<FileResult> &Sources, std::vector<FileResult> &Headers) const;

  /// The search directories for copied headers, which go before the flags of the copies' commands.
  /// Known after ofHeaders.
  [[nodiscard]] llvm::ArrayRef<std::string> headerDirectories() const { return Directories; }
  /// Likewise, but searched for `#include "..."` only.
  [[nodiscard]] llvm::ArrayRef<std::string> quoteDirectories() const { return QuoteDirectories; }
  /// The headers that the copies' commands must include instead of the originals. Known after
  /// ofHeaders, too.
  [[nodiscard]] llvm::ArrayRef<ForcedCopy> forcedCopies() const { return Forced; }

private:
  [[nodiscard]] std::string copyOf(llvm::StringRef Path) const;
  /// `CopyOf`: by the path without links. `IsLinked`: links lead to the file's copy.
  void follow(FileResult &File, const std::map<std::string, std::string> &CopyOf,
              bool IsLinked) const;
  /// What a copy writes instead of a directive's text; empty: the same.
  [[nodiscard]] std::string nameForCopy(const IncludeGraph::Directive &Each, const FileResult &In,
                                        const std::string &Copy, bool IsLinked) const;
  [[nodiscard]] bool isForcedIn(llvm::StringRef Real) const;
  void mirrorHeaders(const std::map<std::string, FileResult> &Rewritten,
                     llvm::ArrayRef<Job> Sources, std::vector<FileResult> &Into);

  const Options &Asked;
  Headers Chosen;
  llvm::StringSet<> Reported; ///< messages about files that several units include
  std::vector<std::string> Directories;
  std::vector<std::string> QuoteDirectories;
  std::vector<ForcedCopy> Forced;
};

} // namespace graphprof::instrument

#endif
