// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof-instrument says it has done (its --report): as much as a compile command needs.

#ifndef GRAPHPROF_TOOL_LAUNCHER_REPORT_H
#define GRAPHPROF_TOOL_LAUNCHER_REPORT_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphprof::launcher {

struct ReportedFile {
  std::string Source; ///< absolute
  std::string Output; ///< as the tool was told: relative to the working directory, or absolute
  bool Header = false;
  bool Changed = false;
  bool Failed = false;
  bool ChangesGraphs = false; ///< compiled as it is, results may change
};

/// A header that the command forces in, by `-include` say, and the copy to force in instead.
struct ForcedInclude {
  std::string Given;
  std::string Output;
};

struct Report {
  std::vector<ReportedFile> Files;
  std::vector<std::string> IncludeFlags; ///< to stand before the command's own, in this order
  std::vector<ForcedInclude> ForcedIncludes;

  [[nodiscard]] bool hasHeaders() const;
  [[nodiscard]] bool changesGraphs() const;
};

llvm::Expected<Report> readReport(llvm::StringRef Path);

} // namespace graphprof::launcher

#endif
