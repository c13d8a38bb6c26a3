// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Members of structs that have a new name. The old one stays for a release. Not for programs to
// use.

#ifndef GRAPHPROF_DETAIL_RENAMED_H
#define GRAPHPROF_DETAIL_RENAMED_H

/// A member `name` that was called `old`: the same bytes at the same place, initialized as before.
#define GRAPHPROF_RENAMED(type, name, old)                                                         \
  union {                                                                                          \
    type name;                                                                                     \
    [[deprecated("use " #name)]] type old;                                                         \
  }
/// The same with an initial value.
#define GRAPHPROF_RENAMED_AS(type, name, value, old)                                               \
  union {                                                                                          \
    type name = value;                                                                             \
    [[deprecated("use " #name)]] type old;                                                         \
  }

#endif // GRAPHPROF_DETAIL_RENAMED_H
