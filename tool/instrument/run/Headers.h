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
#include <optional>

namespace graphprof::instrument {

class Headers {
public:
  /// Adds a unit's facts about its headers, and its includes.
  void add(Outcome &Unit);

  /// Plans and edits: the results by paths without symbolic links, as for headers that are
  /// rewritten in place, without lines in front. Their messages are those that no unit reported.
  /// Headers without changes are left out.
  [[nodiscard]] std::map<std::string, FileResult> rewrite() const;

  [[nodiscard]] const IncludeGraph &includes() const { return Includes; }

private:
  struct Header {
    std::string Text;
    Facts Known;
    bool Failed = false;
  };
  [[nodiscard]] std::optional<FileResult> rewrite(const std::string &Real,
                                                  const Header &Merged) const;
  /// The compiler's name for a file that it may have reached by several paths.
  [[nodiscard]] std::string nameOf(const std::string &Real) const;
  [[nodiscard]] bool isInC(const std::string &Real) const;

  std::map<std::string, Header> Found; ///< by the path without symbolic links
  IncludeGraph Includes;
};

} // namespace graphprof::instrument

#endif
