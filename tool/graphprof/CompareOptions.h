// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How a command line names two sides and says what counts as a change, and how they are read: of
// `graphprof diff`, and of `graphprof html` with two sides.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_COMPAREOPTIONS_H
#define GRAPHPROF_TOOL_GRAPHPROF_COMPAREOPTIONS_H

#include <memory>
#include <string>
#include <vector>

#include "diff/Compare.h"
#include "diff/Side.h"
#include "recordings/Recordings.h"

namespace CLI {
class App;
}

namespace graphprof::tool {

struct CompareOptions {
  std::vector<std::string> files;
  std::string threshold = "2%", floor = "0.3us", single = "10%", confidence = "98%", across;
};

/// Adds the options for floors: --threshold, --floor, --single, --confidence, --across.
void addFloors(CLI::App &app, CompareOptions &options);
/// Returns what is wrong with them; empty: nothing.
[[nodiscard]] std::string readFloors(const CompareOptions &options, Floors &floors);

/// The words before and behind "--". Without it, two files are one a side.
struct Sides {
  std::vector<std::string> before, after;
  std::string wrong; ///< empty: nothing
};
[[nodiscard]] Sides sidesOf(std::vector<std::string> files, const std::vector<std::string> &behind,
                            bool separated);
/// Throws UnreadableRecording if a recording is given twice.
void checkSides(const Sides &sides);

struct ComparedSides {
  Recordings recordings; ///< to which the sides refer
  Side before, after;
  Comparison comparison;
};
/// Reads and compares them. Throws UnreadableRecording as checkSides() does, or if a file cannot be
/// read.
[[nodiscard]] std::unique_ptr<ComparedSides> compareFiles(const Sides &sides, const Floors &floors);

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_COMPAREOPTIONS_H
