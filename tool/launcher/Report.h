// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads the parts of graphprof-instrument's --report that a compile command needs.

#ifndef GRAPHPROF_TOOL_LAUNCHER_REPORT_H
#define GRAPHPROF_TOOL_LAUNCHER_REPORT_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace graphprof::launcher {

struct ReportedFile {
  std::string Source; ///< absolute
  std::string Output; ///< relative to the working directory, or absolute
  bool Header = false;
  bool Changed = false;
  bool Failed = false;
  bool Regions = false;          ///< some are added
  unsigned Steps = 0;            ///< as many are added
  bool Twins = false;            ///< some of them in timed twins of kernels
  unsigned ParseErrors = 0;      ///< what clang rejects, and the compiler may accept
  bool AnnotationErrors = false; ///< in it, or in headers that are rewritten with it
  bool ChangesGraphs = false;    ///< if it is compiled uninstrumented, results may change
  std::string ToolkitHeaders;    ///< of a source: "parsed", or from the tool's cache
  std::string WhyParsed;         ///< if there is a cache
};

/// A header that the command includes with an option such as `-include`, and the copy that replaces
/// it.
struct ForcedInclude {
  std::string Given;
  std::string Output;
};

struct Report {
  std::vector<ReportedFile> Files;
  std::vector<std::string> IncludeFlags; ///< to insert before the command's own, in this order
  std::vector<ForcedInclude> ForcedIncludes;

  [[nodiscard]] bool hasHeaders() const;
  [[nodiscard]] bool changesGraphs() const;
  [[nodiscard]] bool annotationErrors() const;
  [[nodiscard]] bool hasGuards() const; ///< of regions or steps
  [[nodiscard]] bool hasTwins() const;
  [[nodiscard]] bool parseErrors() const;
};

llvm::Expected<Report> readReport(llvm::StringRef Path);

} // namespace graphprof::launcher

#endif
