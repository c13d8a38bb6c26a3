// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof diff --until-decided: makes the recordings itself, in as many processes a side as it
// takes.

#ifndef GRAPHPROF_TOOL_DECIDE_DECIDEDIFF_H
#define GRAPHPROF_TOOL_DECIDE_DECIDEDIFF_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "CompareOptions.h"

namespace graphprof::tool {

struct DecideOptions {
  bool isAsked = false;
  std::size_t most = 20; ///< processes a side
  std::string keep;      ///< a folder for the recordings; empty: they are removed
};

/// Adds --until-decided, --processes and --keep.
void addDecide(CLI::App &app, DecideOptions &options);

/// Compares two commands, each of which runs in fresh processes. `commands`: COMMAND_A --
/// COMMAND_B. Looks at the recordings after 5, 7, 10, 14 and 20 processes a side and so on, up to
/// the bound, until no region that matters is undecided. `floors`: their confidence holds for all
/// looks together. Null if it cannot go on: why is said, and `status` is how to end.
[[nodiscard]] std::unique_ptr<ComparedSides> decide(const DecideOptions &options,
                                                    const std::vector<std::string> &commands,
                                                    Floors floors, int &status);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_DECIDE_DECIDEDIFF_H
