// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The properties of the simulated device, and the names of errors. The properties are an H200's, so
// that programs that size their grids by them run as on an H200.

#ifndef CUDASIM_SRC_PROPERTIES_H
#define CUDASIM_SRC_PROPERTIES_H

#include "cuda_runtime_api.h"

namespace cudasim {

inline constexpr int kVersion = 13000; // of the headers
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
