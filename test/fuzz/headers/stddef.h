// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The parts of this header that <graphprof/cuda.h> and the simulation need. Parsing the real one
// would take longer than everything else.

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
