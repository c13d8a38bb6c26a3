// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What stands in the way of preloading a library into a program: looked at in its file, before it
// is run.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H
#define GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H

#include <string>

namespace graphprof::tool {

/// Why a program cannot be run under graphprof, with a way out, and the exit status; status 0: it
/// can.
struct Refusal {
  int status = 0;
  std::string why;
};

/// Of the file that execvp would take for `name`.
Refusal lookAt(const std::string &name);

/// Of the libraries in `preloads`, as LD_PRELOAD names them, the first that has functions under the
/// names that graphprof stands in for, with one of these; empty where none has.
std::string standsInToo(const std::string &preloads);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_PROGRAM_H
