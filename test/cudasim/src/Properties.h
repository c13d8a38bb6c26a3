// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the simulated device says about itself, and the errors' names. The figures are an H200's, so
// that programs which size their grids by them run as they would there.

#ifndef CUDASIM_SRC_PROPERTIES_H
#define CUDASIM_SRC_PROPERTIES_H

#include "cuda_runtime_api.h"

namespace cudasim {

inline constexpr int kVersion = 13000;
inline constexpr unsigned kSmClockMHz = 1980;

const cudaDeviceProp &deviceProperties();

// False for an attribute that the simulation does not know.
bool deviceAttribute(int attribute, int *value);

struct ErrorEntry {
  const char *name;       // in the runtime API
  const char *driverName; // in the driver API; null where unknown
  const char *text;
};
ErrorEntry errorEntry(int error);

} // namespace cudasim

#endif // CUDASIM_SRC_PROPERTIES_H
