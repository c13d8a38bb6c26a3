// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the functions of graphprof/c.h have in common, whichever API's calls they redirect. Who
// includes this defines GRAPHPROF_C_RESULT, which those calls return, while it uses the forms.

#ifndef GRAPHPROF_DETAIL_C_FORMS_H
#define GRAPHPROF_DETAIL_C_FORMS_H

#include "graphprof/detail/c_seam.h"

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define GRAPHPROF_C_STREAM(stream) graphprof_seam_perThread(stream)
#else
#define GRAPHPROF_C_STREAM(stream) (stream)
#endif

// An edit of a graph.
#define GRAPHPROF_C_EDIT(name, parameters, arguments)                                              \
  static inline GRAPHPROF_C_RESULT graphprof_##name parameters {                                   \
    const GRAPHPROF_C_RESULT result = name arguments;                                              \
    if (!result)                                                                                   \
      graphprof_seam_graphEdited(graph);                                                           \
    return result;                                                                                 \
  }
// A node that others come with: `before` is done before, `also` behind it where it was added,
// `after` in any case.
#define GRAPHPROF_C_ADD_WITH(name, parameters, arguments, before, also, after)                     \
  static inline GRAPHPROF_C_RESULT graphprof_##name parameters {                                   \
    before;                                                                                        \
    const GRAPHPROF_C_RESULT result = name arguments;                                              \
    if (!result) {                                                                                 \
      graphprof_seam_nodeAdded(graph, *node);                                                      \
      also;                                                                                        \
    }                                                                                              \
    after;                                                                                         \
    return result;                                                                                 \
  }
#define GRAPHPROF_C_ADD(name, parameters, arguments)                                               \
  GRAPHPROF_C_ADD_WITH(name, parameters, arguments, (void)0, (void)0, (void)0)

#endif // GRAPHPROF_DETAIL_C_FORMS_H
