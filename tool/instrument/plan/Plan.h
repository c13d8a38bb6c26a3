// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides what happens to a file: which annotations become guards, which are refused and why, which
// calls are redirected.
//
// Planning sees facts and text, never a clang type. What it hands on is a list of edits and a list
// of findings; a file with an error among its findings is not written.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_PLAN_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_PLAN_H

#include "facts/Facts.h"
#include "plan/Edits.h"

namespace graphprof::instrument {

enum class SiteKind { Annotation, Launch, Function }; ///< what asked for the region

/// A region that a file gets.
struct Site {
  SiteKind Kind = SiteKind::Annotation;
  unsigned At = 0;      ///< the annotation; else the launch or the function's name
  std::string Function; ///< that it is in, or is
  std::string Name;     ///< a format
};

struct Plan {
  std::vector<Edit> Edits;
  std::vector<Finding> Findings;
  std::vector<Site> Sites;      ///< in the order of the file
  std::vector<GraphCall> Calls; ///< those that are redirected
  Counts Did;
  bool CallsDriver = false; ///< among the redirected calls are the driver API's
};

/// A guard has this form; the contract with <graphprof/cuda.h>:
///
///     GRAPHPROF_SCOPE(<id>, "<name>", <stream>[, <value>...][, ::graphprof::key("<key>",
///     <value>)...]);
///
/// <stream> is ::graphprof::onStream(<expression>) where the annotation names the stream, or where
/// all launches and calls that the construct shows work on one stream that is known when it begins;
/// else ::graphprof::onCapture(), the stream that the thread is then capturing, and host time where
/// it captures none. That comes with a warning that says how to name it, also where the construct
/// only calls the program's own functions: host time must not surprise anybody.
Plan makePlan(const Facts &Facts, llvm::StringRef Text);

} // namespace graphprof::instrument

#endif
