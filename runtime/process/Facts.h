// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Facts about the run that graphprof finds out itself, for the outputs' metadata.

#ifndef GRAPHPROF_PROCESS_FACTS_H
#define GRAPHPROF_PROCESS_FACTS_H

#include "session/Session.h"

namespace graphprof {

/// `deviceProperties` in Kineto's form, once a device was used. `distributedInfo` in PyTorch's
/// form, if the process is part of a job. Makes no CUDA call.
[[nodiscard]] Session::Facts facts();

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_FACTS_H
