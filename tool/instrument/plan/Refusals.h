// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Why an annotated construct cannot be timed, and what to do about it. Each function returns an
// empty text if it can.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_REFUSALS_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_REFUSALS_H

#include "facts/Facts.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::instrument {

/// Wherever it is.
std::string refusalOfConstruct(const Facts &Known, llvm::StringRef Text, const Annotation &Note,
                               const Construct &Target);
/// By a guard, which only code of the host can hold.
std::string refusalOfGuard(const Facts &Known, llvm::StringRef Text, const Annotation &Note,
                           const Construct &Target);
/// In a kernel's twin. Where this refuses, the statement runs untimed.
std::string refusalInKernel(const Facts &Known, const Annotation &Note, const Construct &Target);

} // namespace graphprof::instrument

#endif
