// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The headers that a run rewrites. Each is rewritten once, however many units include it.
//
// Units see different parts of a header (another branch of an #if, other template instances), so
// their facts are merged before planning.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_HEADERS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_HEADERS_H

#include "run/Instrument.h"
#include "run/Mirror.h"

#include <map>

namespace graphprof::instrument {

class Headers {
public:
  /// The result for a header.
  struct Rewritten {
    std::string Name; ///< as named by the compiler
    std::string Before;
    std::string Text; ///< instrumented, without lines in front
    Plan Made;
    bool Failed = false;               ///< it is not changed
    bool ChangesGraphs = false;        ///< it contains calls that change graphs
    std::string Problem;               ///< why it failed, if no unit reported it
    std::vector<std::string> Warnings; ///< likewise, each with its line
  };

  /// Adds a unit's facts about its headers, and its includes.
  void add(Outcome &Unit);

  /// Plans and edits. The keys are paths without symbolic links. Headers without changes are left
  /// out.
  [[nodiscard]] std::map<std::string, Rewritten> rewrite() const;

  [[nodiscard]] const IncludeGraph &includes() const { return Includes; }

private:
  struct Header {
    std::string Text;
    Facts Known;
    bool Failed = false;
  };
  /// The compiler's name for a file that it may have reached by several paths.
  [[nodiscard]] std::string nameOf(const std::string &Real) const;
  [[nodiscard]] bool isInC(const std::string &Real) const;

  std::map<std::string, Header> Found; ///< by the path without symbolic links
  IncludeGraph Includes;
};

} // namespace graphprof::instrument

#endif
