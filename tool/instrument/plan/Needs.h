// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which of the runtime's headers stand in front of a text.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_NEEDS_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_NEEDS_H

#include "plan/Plan.h"

#include <vector>

namespace graphprof::instrument {

/// Which of the runtime's headers the inserted text needs, of one file or of several that are
/// compiled together.
class Needs {
public:
  void add(const Plan &Made);
  [[nodiscard]] bool any() const { return Runtime; }
  /// For the lines in front. `Named`: names are redirected in macros' bodies there.
  [[nodiscard]] std::vector<RuntimeHeader> headers(bool InC, bool Named) const;

private:
  bool Runtime = false;
  bool Driver = false; ///< calls of the driver API are redirected
  bool Twins = false;  ///< timed twins of kernels are written
};

} // namespace graphprof::instrument

#endif
