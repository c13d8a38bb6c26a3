// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// call_forms.h for the rows of allocations.def. Not for programs to call.

#ifndef GRAPHPROF_DETAIL_ALLOCATION_FORMS_H
#define GRAPHPROF_DETAIL_ALLOCATION_FORMS_H

#include "graphprof/detail/language.h"
#include "graphprof/detail/seam.h"

// `told` is done where the call succeeded.
#define GRAPHPROF_AFTER(api, declared, wrapper, function, parameters, arguments, told)             \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0) {                                                         \
      told;                                                                                        \
    }                                                                                              \
    return result;                                                                                 \
  }

// Memory. Arguments of these forms: pointer, where the address is returned, and size. Of rows what
// was asked for is counted, without their padding.

#define GRAPHPROF_GOT(bytes, kind, stream)                                                         \
  graphprof_seam_allocated(GRAPHPROF_ADDRESS(*pointer), bytes, graphprof_seam_memory##kind, stream)
#define GRAPHPROF_FORM_AllocatesOnDevice(...)                                                      \
  GRAPHPROF_AFTER(__VA_ARGS__, GRAPHPROF_GOT(size, Device, GRAPHPROF_NULL))
#define GRAPHPROF_FORM_AllocatesRows(...)                                                          \
  GRAPHPROF_AFTER(__VA_ARGS__, GRAPHPROF_GOT(width *height, Device, GRAPHPROF_NULL))
#define GRAPHPROF_FORM_AllocatesManaged(...)                                                       \
  GRAPHPROF_AFTER(__VA_ARGS__, GRAPHPROF_GOT(size, Managed, GRAPHPROF_NULL))
#define GRAPHPROF_FORM_AllocatesOnHost(...)                                                        \
  GRAPHPROF_AFTER(__VA_ARGS__, GRAPHPROF_GOT(size, Host, GRAPHPROF_NULL))
// and: stream
#define GRAPHPROF_FORM_AllocatesFromPool(...)                                                      \
  GRAPHPROF_AFTER(__VA_ARGS__, GRAPHPROF_GOT(size, Pool, GRAPHPROF_STREAM(stream)))
// pointer, extent
#define GRAPHPROF_FORM_AllocatesExtent(...)                                                        \
  GRAPHPROF_AFTER(__VA_ARGS__, graphprof_seam_allocated(                                           \
                                   pointer->ptr, extent.width *extent.height *extent.depth,        \
                                   graphprof_seam_memoryDevice, GRAPHPROF_NULL))

// pointer. Reported before the call: the address may be given out again as soon as it is
// free.
#define GRAPHPROF_FORM_Frees(api, declared, wrapper, function, parameters, arguments)              \
  declared wrapper parameters {                                                                    \
    const void *const address = GRAPHPROF_ADDRESS(pointer);                                        \
    const size_t bytes = GRAPHPROF_ACTIVE ? graphprof_seam_freeing(address) : 0;                   \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (bytes > 0)                                                                                 \
      graphprof_seam_freed(address, bytes, result == 0);                                           \
    return result;                                                                                 \
  }

// Memory that the program maps itself. Arguments of these forms: handle, pointer, size

// and: properties
#define GRAPHPROF_FORM_CreatesMappable(...)                                                        \
  GRAPHPROF_AFTER(__VA_ARGS__, graphprof_seam_mappableCreated(*handle, size,                       \
                                                              properties->location.type ==         \
                                                                      CU_MEM_LOCATION_TYPE_DEVICE  \
                                                                  ? properties->location.id        \
                                                                  : -1))
#define GRAPHPROF_FORM_RetainsMappable(...)                                                        \
  GRAPHPROF_AFTER(__VA_ARGS__, graphprof_seam_mappableRetained(*handle))
#define GRAPHPROF_FORM_Maps(...)                                                                   \
  GRAPHPROF_AFTER(__VA_ARGS__, graphprof_seam_mappableMapped(handle, pointer, size))

// Reported before the call, as above.
#define GRAPHPROF_TAKES(api, declared, wrapper, function, parameters, arguments, taking)           \
  declared wrapper parameters {                                                                    \
    void *const taken = GRAPHPROF_ACTIVE ? taking : GRAPHPROF_NULL;                                \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (taken)                                                                                     \
      graphprof_seam_mappableTaken(taken, result == 0);                                            \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_Unmaps(...)                                                                 \
  GRAPHPROF_TAKES(__VA_ARGS__, graphprof_seam_mappableUnmapping(pointer, size))
#define GRAPHPROF_FORM_Releases(...)                                                               \
  GRAPHPROF_TAKES(__VA_ARGS__, graphprof_seam_mappableReleasing(handle))

#endif // GRAPHPROF_DETAIL_ALLOCATION_FORMS_H
