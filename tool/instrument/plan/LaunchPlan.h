// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which launches and functions without an annotation get a guard. Part of Plan.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_LAUNCHPLAN_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_LAUNCHPLAN_H

#include "plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphprof::instrument {

/// Extends a plan that has the annotations' guards. A launch becomes
///
///     (GRAPHPROF_TIMED(<id>, "<name>", <stream>[, ...]), <launch>)
///
/// A macro use that is a statement gets braces and a GRAPHPROF_SCOPE. So does a function's body.
void planLaunches(const Facts &Known, llvm::StringRef Text,
                  llvm::function_ref<bool(unsigned)> IsIgnored,
                  llvm::function_ref<unsigned()> NextId, Plan &Result);

/// The part of a file's summary line about launches and functions, for example `, 4 launches timed,
/// 2 not (2 in a macro's body)`. Empty if there are none.
std::string launchSummary(const Counts &Did);

} // namespace graphprof::instrument

#endif
