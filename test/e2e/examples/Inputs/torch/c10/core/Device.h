// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Stands in for PyTorch's header in tests on machines without PyTorch.

#pragma once

#include <cstdint>

namespace c10 {
using DeviceIndex = std::int8_t;
}
