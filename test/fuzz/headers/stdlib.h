// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// As stddef.h here.

#pragma once

#include <stddef.h>
extern "C" void *malloc(size_t size);
extern "C" void free(void *memory);
