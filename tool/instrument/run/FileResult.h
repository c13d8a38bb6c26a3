// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The result for one file: what to write, show or report. Does no output.

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
  std::vector<Edit> Edits; ///< the edits that turn Before into After
  std::vector<Site> Sites;
  std::vector<GraphCall> Calls;
  Counts Did;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;         ///< among the warnings: what clang rejects
  std::vector<Diagnosis> Diagnoses; ///< each is in one file of the run only
  bool AnnotationErrors = false;    ///< see Outcome
  bool ChangesGraphs = false; ///< if it is left as it is, results may change; see changesGraphs()
  HeaderUse Headed;           ///< of a source
  std::string Hidden; ///< a header that -I with the source's directory would hide; mostly empty

  [[nodiscard]] bool changed() const {
    return !Edits.empty() && Status == FileStatus::Instrumented;
  }
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
