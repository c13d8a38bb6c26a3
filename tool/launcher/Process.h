// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Running other programs, so that whoever started us sees what they did: exit statuses and signals
// pass through, in both directions.

#ifndef GRAPHPROF_TOOL_LAUNCHER_PROCESS_H
#define GRAPHPROF_TOOL_LAUNCHER_PROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphprof::launcher {

/// How a program ended: by a signal, or with a status.
struct Ending {
  int Status = 0;
  int Signal = 0;

  [[nodiscard]] bool good() const { return Status == 0 && Signal == 0; }
};

/// Runs a program, found along PATH, and waits. Signals that would end us are sent on to it.
/// `Messages`, if not empty, is a file that takes its standard error.
llvm::Expected<Ending> run(llvm::ArrayRef<std::string> Words, const std::string &Messages = "");

/// Becomes the program; returns only where that fails.
llvm::Error become(llvm::ArrayRef<std::string> Words);

/// Ends this process as the other one ended.
[[noreturn]] void endAs(Ending How);

} // namespace graphprof::launcher

#endif
