// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_CAPI_INTERPOSED_H
#define GRAPHPROF_CAPI_INTERPOSED_H

namespace graphprof::capi {

/// Is libgraphprof_preload.so in the process, so that calls of code that was not instrumented are
/// seen?
[[nodiscard]] bool interposed() noexcept;

} // namespace graphprof::capi

#endif // GRAPHPROF_CAPI_INTERPOSED_H
