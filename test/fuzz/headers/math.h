// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// As stddef.h here.

#pragma once

extern "C" double sqrt(double x);
extern "C" float sqrtf(float x);
