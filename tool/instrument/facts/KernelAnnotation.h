// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What an annotation on a kernel's declaration may say: it counts at each of the kernel's launches.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_KERNELANNOTATION_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_KERNELANNOTATION_H

#include "facts/Facts.h"

namespace graphprof::instrument {

/// What is wrong with an annotation on a kernel: it is repeated at every launch, so it can name
/// nothing that has a meaning at one place only.
std::vector<Finding> checkKernelAnnotation(const Annotation &Note);

/// Whether two annotations of one kernel give its launches the same region.
bool sayTheSame(const Annotation &A, const Annotation &B);

} // namespace graphprof::instrument

#endif
