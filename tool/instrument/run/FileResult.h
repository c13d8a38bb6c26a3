// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What became of one file, whole: what to write, to show or to report of it. Knows nothing of how
// that is done.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_FILERESULT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_FILERESULT_H

#include "facts/Diagnosis.h"
#include "plan/Plan.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

enum class FileStatus {
  Instrumented, ///< changed, where there was anything to do in it
  Copied,       ///< a header that only has to lie beside the copies
  Failed,       ///< nothing of it is written
};

struct FileResult {
  FileStatus Status = FileStatus::Failed;
  bool IsHeader = false;
  std::string Name;   ///< as the user or the compiler names it
  std::string Source; ///< absolute
  std::string Real;   ///< the same without symbolic links
  std::string Output; ///< "-" for stdout
  std::string LinkTo; ///< the output is only another name of this one; empty: a file

  std::string Before;
  std::string After;
  std::vector<Edit> Edits; ///< what makes After of Before
  std::vector<Site> Sites;
  std::vector<GraphCall> Calls;
  Counts Did;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;         ///< among the warnings: what clang rejects
  std::vector<Diagnosis> Diagnoses; ///< each in one file of a run only
  bool ChangesGraphs = false;       ///< see changesGraphs(): left as it is, results may change
  std::string Hidden;               ///< a header that -I<its directory> would hide; mostly empty

  [[nodiscard]] bool changed() const {
    return !Edits.empty() && Status == FileStatus::Instrumented;
  }
};

/// A header that a compile command forces in, and its copy.
struct ForcedCopy {
  std::string Given; ///< as the command names it
  std::string Output;
};

/// Lines and columns of a text, from 1; without the lines that an earlier run put in front.
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
