// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A kernel whose annotation stands in a header that is not rewritten.

#pragma once

[[graphprof::time("from a header")]] __global__ void fromHeader(float *x);
