// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What <graphprof/cuda.h> and the simulation need of this header. Parsing the real one takes longer
// than all the rest.

#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
#ifdef __cplusplus
namespace std {
using ::ptrdiff_t;
using ::size_t;
using nullptr_t = decltype(nullptr);
} // namespace std
#endif
