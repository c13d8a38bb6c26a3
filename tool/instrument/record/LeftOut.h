// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Leaves out what the tool would add at places where an earlier try did not compile: timed twins,
// streams that it found, guards. What the user wrote in an annotation is not the tool's to leave
// out, so guards with values stay.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LEFTOUT_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LEFTOUT_H

#include "source/Unit.h"

#include "clang/Basic/FileManager.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

/// A line that did not compile. What is named once loses the stream that the tool found, if there
/// is one, and what is named again the rest.
struct BrokenPlace {
  std::string File; ///< absolute; empty: everything is left out
  unsigned Line = 0;
  std::string Reason; ///< the compiler's
};

/// Call it behind the other recorders. Each thing that is left out has a warning.
void leaveOut(const Unit &Parsed, const clang::FileManager &Files,
              llvm::ArrayRef<BrokenPlace> Places);

} // namespace graphprof::instrument

#endif
