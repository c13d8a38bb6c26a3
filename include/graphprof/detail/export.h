// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What libgraphprof exports. The library is compiled with hidden visibility, so a program can link
// only what is marked here. C11 and C++. Not for programs to use.

#ifndef GRAPHPROF_DETAIL_EXPORT_H
#define GRAPHPROF_DETAIL_EXPORT_H

/// A function, a variable or a class that programs link.
#define GRAPHPROF_API __attribute__((visibility("default")))
/// A private member of such a class that only the library calls.
#define GRAPHPROF_LOCAL __attribute__((visibility("hidden")))

#endif // GRAPHPROF_DETAIL_EXPORT_H
