// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The subcommands of `graphprof`, one file each. To add one, write its file and a line here and in
// main.cpp.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H
#define GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H

#include <string>
#include <vector>

namespace graphprof::tool {

/// Exit statuses. Those of `run` are what env, nohup and timeout have for the same, so that a
/// program's own are told apart.
constexpr int calledWrongly = 2, cannotRun = 125, notExecutable = 126, notFound = 127;

/// Replaces this process by the program; returns where it cannot.
int run(const std::vector<std::string> &arguments);
int info(const std::vector<std::string> &arguments);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H
