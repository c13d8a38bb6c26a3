// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks annotations on kernels' declarations. Such an annotation applies to each launch of the
// kernel.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_KERNELANNOTATION_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_KERNELANNOTATION_H

#include "facts/Facts.h"

namespace graphprof::instrument {

/// Finds mistakes in an annotation on a kernel. It is repeated at every launch, so it cannot refer
/// to anything that has a meaning in one place only.
std::vector<Finding> checkKernelAnnotation(const Annotation &Note);

/// Whether two annotations of a kernel give its launches the same region.
bool sameRegion(const Annotation &A, const Annotation &B);

} // namespace graphprof::instrument

#endif
