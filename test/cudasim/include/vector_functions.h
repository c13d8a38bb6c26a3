// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Kept for programs that include it by name: the make_ functions live in vector_types.h.

#include "vector_types.h"
