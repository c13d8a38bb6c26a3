// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks a program's file, before it runs, for anything that prevents preloading a library into it.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H
#define GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H

#include <string>

namespace graphprof::tool {

/// Why a program cannot run under graphprof, what to do about it, and the exit status. Status 0: it
/// can run.
struct Refusal {
  int status = 0;
  std::string why;
};

/// Checks the file that execvp would run for `name`.
Refusal checkProgram(const std::string &name);

/// Checks the libraries in `preloads`, in the syntax of LD_PRELOAD. Returns the first library that
/// defines a function that graphprof also interposes, with the name of one such function. Empty if
/// there is none.
std::string conflictIn(const std::string &preloads);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H
