// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// As stddef.h here.

#pragma once

#include <stddef.h>
extern "C" void *memcpy(void *to, const void *from, size_t size);
extern "C" int strcmp(const char *a, const char *b);
