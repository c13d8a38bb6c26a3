// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The subcommands of `graphprof`, one file each. To add one, write its file, and add a line here
// and in main.cpp.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H
#define GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H

#include <string>
#include <vector>

namespace graphprof::tool {

/// Exit statuses. `run` uses those that env, nohup and timeout use for their own failures, so that
/// they can be told from the program's.
constexpr int usageError = 2, cannotRun = 125, notExecutable = 126, notFound = 127;

/// Replaces this process by the program. Returns only if that fails.
int run(const std::vector<std::string> &arguments);
int demo(const std::vector<std::string> &arguments);
int info(const std::vector<std::string> &arguments);
int report(const std::vector<std::string> &arguments);
int diff(const std::vector<std::string> &arguments);
int merge(const std::vector<std::string> &arguments);
int html(const std::vector<std::string> &arguments);
int sim(const std::vector<std::string> &arguments);
int ps(const std::vector<std::string> &arguments);
int attach(const std::vector<std::string> &arguments);
/// Replaces this process by Python.
int jupyter(const std::vector<std::string> &arguments);
int top(const std::vector<std::string> &arguments);
/// Replaces this process likewise.
int exporter(const std::vector<std::string> &arguments);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_COMMANDS_H
