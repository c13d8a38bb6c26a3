// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides what happens to a file: which annotations become guards, which are refused and why, which
// calls are redirected.
//
// Planning sees facts and text, never a clang type. The result is a list of edits and a list of
// findings. A file with an error among its findings is not written.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_PLAN_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_PLAN_H

#include "facts/Facts.h"
#include "plan/Edits.h"

namespace graphprof::instrument {

enum class SiteKind {
  Annotation,
  Launch,
  Function,
  InKernel
}; ///< what the region was asked for by

/// A region that is added to a file.
struct Site {
  SiteKind Kind = SiteKind::Annotation;
  unsigned At = 0;      ///< the annotation, the launch, or the function's name
  std::string Function; ///< the function that it is in, or is
  std::string Name;     ///< a format string
};

struct Plan {
  std::vector<Edit> Edits;
  std::vector<Finding> Findings;
  std::vector<Site> Sites;      ///< in the order of the file
  std::vector<GraphCall> Calls; ///< those that are redirected
  /// Directives in front of the file, for names that are redirected in macros' bodies: see
  /// <graphprof/detail/named.h>.
  std::vector<std::string> Names;
  /// For the end of the source that includes this header: the kernels that it makes of templates
  /// with timed twins.
  std::string Instances;
  Counts Did;
  bool CallsDriver = false; ///< calls of the driver API are redirected, too

  /// Whether the file stays as it is, because something in it is refused.
  [[nodiscard]] bool failed() const;
};

/// Guards have this form, which is the contract with <graphprof/cuda.h>:
///
///     GRAPHPROF_SCOPE(<id>, "<name>", <stream>[, <value>...][, ::graphprof::key("<key>",
///     <value>)...]);
///     GRAPHPROF_STEP(<id>);
///     GRAPHPROF_GRAPH(<id>, "<name>"[, <value>...][, ::graphprof::key("<key>", <value>)...]);
///
/// <stream> is ::graphprof::on_stream(<expression>) if the annotation names the stream, or if all
/// launches and calls of the construct work on one stream that is known when it begins. Otherwise
/// it is ::graphprof::on_capture(): the stream that the thread is capturing then, or host time if
/// it captures none. A warning then says how to name the stream, also for constructs that only call
/// the program's own functions, so that host time surprises nobody.
Plan makePlan(const Facts &Facts, llvm::StringRef Text);

} // namespace graphprof::instrument

#endif
