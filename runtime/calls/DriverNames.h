// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver's symbols, as users know them.

#ifndef GRAPHPROF_CALLS_DRIVERNAMES_H
#define GRAPHPROF_CALLS_DRIVERNAMES_H

#include <string>
#include <string_view>

namespace graphprof::internal {

/// Without what tells a version or a variant.
///
///     plainDriverName("cuMemcpyHtoDAsync_v2_ptsz")  // "cuMemcpyHtoDAsync"
std::string_view plainDriverName(std::string_view symbol);
/// With the function of the runtime API that makes the call, where one is known.
///
///     driverNameOf("cuMemAlloc_v2")  // "cuMemAlloc (cudaMalloc)"
std::string driverNameOf(std::string_view symbol);

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_DRIVERNAMES_H
