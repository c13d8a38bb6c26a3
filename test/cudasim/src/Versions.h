// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which version of CUDA the simulated driver is of. CUDASIM_VERSION=12.3, for example, makes it one
// that lacks what came later, by the table in cudasim/versions.def: dlsym and cuGetProcAddress do
// not find such a function of the driver, and cudart refuses one of its own with
// cudaErrorCallRequiresNewerDriver, as on such a driver. Without the variable it is the newest.

#ifndef CUDASIM_SRC_VERSIONS_H
#define CUDASIM_SRC_VERSIONS_H

#include <string_view>

namespace cudasim {

/// As cuDriverGetVersion tells it: 12030 is CUDA 12.3.
int driverVersion();
/// cudart's: that of the driver, at most that of the headers.
int runtimeVersion();

enum class Feature { ConditionalElse, ConditionalSwitch };
bool has(Feature feature);

/// Is it a function of cudart that this driver is too old for?
bool needsNewerDriver(std::string_view function);

/// The version that brought an exported symbol; 0 if CUDA 12.0 had it.
int sinceOf(std::string_view symbol);

} // namespace cudasim

#endif // CUDASIM_SRC_VERSIONS_H
