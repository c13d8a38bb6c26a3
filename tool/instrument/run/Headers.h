// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The headers that a run rewrites: each once, however many units include it.
//
// Units see different parts of a header (another branch of an #if, another template's instances),
// so what they found is merged before anything is decided.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_HEADERS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_HEADERS_H

#include "run/Instrument.h"
#include "run/Mirror.h"

#include <map>

namespace graphprof::instrument {

class Headers {
public:
  /// A header after the run.
  struct Rewritten {
    std::string Name; ///< as the compiler names it
    std::string Before;
    std::string Text; ///< instrumented, nothing in front
    Plan Made;
    bool Failed = false;        ///< it stays as it was
    bool ChangesGraphs = false; ///< it has calls that do
    std::string Problem;        ///< why, where no unit has told it
  };

  /// Takes what a unit found in its headers, and what it includes.
  void add(Outcome &Unit);

  /// Plans and edits. By the path without symbolic links; those in which there is nothing to do are
  /// not in the result.
  [[nodiscard]] std::map<std::string, Rewritten> rewrite() const;

  [[nodiscard]] const IncludeGraph &includes() const { return Includes; }

private:
  struct Header {
    std::string Text;
    Facts Known;
    bool Failed = false;
  };
  /// What the compiler calls a file that it may have met by several paths.
  [[nodiscard]] std::string nameOf(const std::string &Real) const;
  [[nodiscard]] bool isInC(const std::string &Real) const;

  std::map<std::string, Header> Found; ///< by the path without symbolic links
  IncludeGraph Includes;
};

} // namespace graphprof::instrument

#endif
