// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The result for one file, a source or a header: what to write, show or report. Each step of a run
// fills in what it knows. Does no output.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_FILERESULT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_FILERESULT_H

#include "facts/Diagnosis.h"
#include "plan/Plan.h"
#include "source/HeaderCache.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

enum class FileStatus {
  Instrumented, ///< done, changed or not
  Copied,       ///< a header that is only needed beside the copies
  Failed,       ///< not written
};

struct FileResult {
  FileStatus Status = FileStatus::Failed;
  bool IsHeader = false;
  std::string Name;   ///< as the user or the compiler names it
  std::string Source; ///< absolute
  std::string Real;   ///< the same without symbolic links
  std::string Output; ///< "-" for stdout
  std::string LinkTo; ///< the output is a symbolic link to this file; empty: a file

  std::string Before;
  std::string After;
  Plan Made; ///< if instrumented: its edits turn Before into After
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;         ///< among the warnings: what clang rejects
  std::vector<Diagnosis> Diagnoses; ///< each is in one file of the run only
  /// Of a source: an annotation in it, or in a header that is rewritten with it, is wrong: the
  /// user's to correct, unlike all that graphprof cannot do.
  bool AnnotationErrors = false;
  /// It calls functions that change graphs, or names them if it could not be parsed; of a source,
  /// also in a project header that it includes. If it is compiled unchanged beside instrumented
  /// sources, the program may compute something else.
  bool ChangesGraphs = false;
  HeaderUse Headed;   ///< of a source: whether the headers in front of it came precompiled
  std::string Hidden; ///< see findHidden

  [[nodiscard]] bool changed() const {
    return !Made.Edits.empty() && Status == FileStatus::Instrumented;
  }
  /// It is not written, for this reason.
  void fail(std::string Why);
  /// Adds lines in front of the instrumented text, if there are any.
  void putInFront(Edit Lines);
};

/// A header that a compile command includes before the source, and its copy.
struct ForcedCopy {
  std::string Given; ///< as the command names it
  std::string Output;
};

/// Computes lines and columns of a text, from 1, not counting the lines that an earlier run put in
/// front.
class Places {
public:
  struct Place {
    unsigned Line;
    unsigned Column;
  };

  explicit Places(llvm::StringRef Text);
  [[nodiscard]] Place operator()(unsigned Offset) const;

private:
  std::vector<unsigned> Lines; ///< where each begins
  unsigned Ours = 0;           ///< lines in front
};

} // namespace graphprof::instrument

#endif
