// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels without their twins: whose machine code is compared.

#include "originals.cuh"
