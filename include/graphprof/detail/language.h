// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the forms of redirected calls (call_forms.h) are written with where C11 and C++ differ. Not
// for programs to call.

#ifndef GRAPHPROF_DETAIL_LANGUAGE_H
#define GRAPHPROF_DETAIL_LANGUAGE_H

#include <stddef.h>
#include <stdint.h>

/// Inside a function: the loader calls the other function if this one is in the program at all,
/// before main() or in dlopen(). An inline function that nobody calls is in none.
#define GRAPHPROF_CALL_AT_LOAD(function)                                                           \
  __asm__ volatile(".pushsection .init_array, \"aw\"\n\t.balign 8\n\t.quad " #function             \
                   "\n\t.popsection")

#ifdef __cplusplus

#include "graphprof/control.h"
#include "graphprof/detail/streams.h"

namespace graphprof {
inline namespace v1 {
namespace detail {

/// A place in memory, as either API names it.
inline const void *address(const void *pointer) { return pointer; }
inline const void *address(unsigned long long pointer) {
  return reinterpret_cast<const void *>(static_cast<uintptr_t>(pointer));
}

} // namespace detail
} // namespace v1
} // namespace graphprof

#define GRAPHPROF_STREAM(stream) ::graphprof::detail::driverStream(stream)
#define GRAPHPROF_ADDRESS(pointer) ::graphprof::detail::address(pointer)
#define GRAPHPROF_AS_INT(value) static_cast<int>(value)
#define GRAPHPROF_ACTIVE ::graphprof::active()

#else

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define GRAPHPROF_STREAM(stream) ((stream) ? (stream) : (struct CUstream_st *)2)
#else
#define GRAPHPROF_STREAM(stream) (stream)
#endif
#define GRAPHPROF_ADDRESS(pointer) ((const void *)(uintptr_t)(pointer))
#define GRAPHPROF_AS_INT(value) ((int)(value))
#define GRAPHPROF_ACTIVE 1 // the library asks itself

#endif

#endif // GRAPHPROF_DETAIL_LANGUAGE_H
