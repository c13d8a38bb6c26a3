// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes a timed twin behind each kernel with annotated statements. The kernel stays as it is
// without its annotations.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_PLAN_TWINPLAN_H
#define GRAPHPROF_TOOL_INSTRUMENT_PLAN_TWINPLAN_H

#include "plan/Plan.h"

namespace graphprof::instrument {

/// An annotated statement in a kernel or a device function.
struct DeviceScope {
  const Annotation *Note = nullptr;
  const Construct *Target = nullptr;
  std::string Name;
};

/// The kernel or device function of the file that this byte is in; null if there is none.
const DeviceFunction *kernelAround(const Facts &Known, unsigned Offset);

/// Adds the twins of the kernels that have scopes to `Into`, with warnings about those that cannot
/// have one. Call it last: a twin repeats the edits that its kernel got.
///
/// A twin has this form, which is the contract with <graphprof/device/twin.h>:
///
///     __global__ void <kernel>_graphprof_twin(GRAPHPROF_RECORDING graphprof_recording, ...) {
///       ::graphprof::device::Recorder graphprof_recorder(graphprof_recording);
///       { ::graphprof::device::Scope graphprof_scope_0(graphprof_recorder, 0); ... }
///     }
///     GRAPHPROF_TWIN(<kernel>, <kernel>_graphprof_twin, {"<name>", __FILE__, <line>}, ...)
///
/// A name with values is a format, with `{"<name>", __FILE__, <line>, <number of values>,
/// ::graphprof::device::Values<...>::all}`.
///
/// Of a template, the last line is GRAPHPROF_TWIN_SCOPES(<kernel>_graphprof_twin_scopes, ...), and
/// at the end of the file stands, for each kernel that the source makes of it:
///
///     GRAPHPROF_TWIN_INSTANCE(<object>, <scopes>, "<kernel><<arguments>>", <kernel>, <twin>)
///
/// For a template in a header, it stands at the end of each source that makes kernels of it.
///
/// If names have values, they may differ between these kernels. Then each has scopes of its own
/// there.
void planTwins(const Facts &Known, llvm::StringRef Text, std::vector<DeviceScope> Scopes,
               Plan &Into);

} // namespace graphprof::instrument

#endif
