// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which launches and functions get a guard that have no annotation of their own. A part of
// Plan.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_LAUNCHPLAN_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_LAUNCHPLAN_H

#include "plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphprof::instrument {

/// Adds to a plan that has the annotations' guards already. A launch gets
///
///     (GRAPHPROF_TIMED(<id>, "<name>", <stream>[, ...]), <launch>)
///
/// and the use of a macro that is a statement gets braces and a GRAPHPROF_SCOPE, as does a
/// function's body.
void planLaunches(const Facts &Known, llvm::StringRef Text,
                  llvm::function_ref<bool(unsigned)> IsIgnored,
                  llvm::function_ref<unsigned()> NextId, Plan &Result);

/// `, 4 launches timed, 2 not (2 in a macro's body)`: what there is to say of them in a file's
/// line; empty where that is nothing.
std::string launchSummary(const Counts &Did);

} // namespace graphprof::instrument

#endif
