// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The diagnostics of a parse as plain data, for messages and for the report.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_DIAGNOSIS_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_DIAGNOSIS_H

#include "facts/Facts.h"

#include <string>

namespace graphprof::instrument {

struct Diagnosis {
  Severity Level = Severity::Error;
  std::string File;  ///< as the compiler names it; empty: no location
  std::string Path;  ///< of the same file, absolute
  unsigned Line = 0; ///< from 1, as `#line` counts
  unsigned Column = 0;
  std::string Message;
  std::string Printed;    ///< the message for people, with its notes; empty for the tool's own
  bool Elsewhere = false; ///< not in the source: other units may report it too

  /// A diagnosis of the tool itself, without a location.
  static Diagnosis ofTool(Severity Level, std::string Message) {
    Diagnosis Result;
    Result.Level = Level;
    Result.Message = std::move(Message);
    return Result;
  }
};

} // namespace graphprof::instrument

#endif
