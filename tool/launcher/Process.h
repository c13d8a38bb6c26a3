// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs other programs. Exit statuses and signals pass through in both directions, so graphprof-cc
// looks like the program to its caller.

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

/// Runs a program, found in PATH, and waits for it. Forwards signals that would end this process.
/// If `Messages` is not empty, it names the file that gets the program's standard error.
llvm::Expected<Ending> run(llvm::ArrayRef<std::string> Words, const std::string &Messages = "");

/// Replaces this process by the program. Returns only if that fails.
llvm::Error become(llvm::ArrayRef<std::string> Words);

/// Ends this process with the same status or signal.
[[noreturn]] void exitAs(Ending How);

} // namespace graphprof::launcher

#endif
