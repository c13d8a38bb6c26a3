// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Sentences about what the program ran and graphprof did not record.

#ifndef GRAPHPROF_SESSION_WHYNOTHING_H
#define GRAPHPROF_SESSION_WHYNOTHING_H

#include <string>

#include "services/Seen.h"

namespace graphprof {

/// About execs with nothing to time; empty if there were none.
[[nodiscard]] std::string untimedExecs(const Seen &seen);
/// Why nothing was recorded, as far as is known. Never empty.
[[nodiscard]] std::string whyNothing(const Seen &seen);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_WHYNOTHING_H
