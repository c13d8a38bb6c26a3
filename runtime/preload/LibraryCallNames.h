// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In a file that includes this, the forms of redirected calls (graphprof/detail/call_forms.h) call
// the functions found in libgraphprof.so, with which this library is not linked. Include it after
// seam.h, whose functions have the same names. There is a name for each row of seam.def.

#ifndef GRAPHPROF_PRELOAD_LIBRARYCALLNAMES_H
#define GRAPHPROF_PRELOAD_LIBRARYCALLNAMES_H

#include "preload/Library.h"

#define graphprof_seam_captureBegan(...) (::graphprof::preload::loaded.captureBegan(__VA_ARGS__))
#define graphprof_seam_captureEnding(...) (::graphprof::preload::loaded.captureEnding(__VA_ARGS__))
#define graphprof_seam_captureEnded(...) (::graphprof::preload::loaded.captureEnded(__VA_ARGS__))
#define graphprof_seam_waited(...) (::graphprof::preload::loaded.waited(__VA_ARGS__))
#define graphprof_seam_graphUsing(...) (::graphprof::preload::loaded.graphUsing(__VA_ARGS__))
#define graphprof_seam_instantiating(...) (::graphprof::preload::loaded.instantiating(__VA_ARGS__))
#define graphprof_seam_instantiated(...) (::graphprof::preload::loaded.instantiated(__VA_ARGS__))
#define graphprof_seam_updating(...) (::graphprof::preload::loaded.updating(__VA_ARGS__))
#define graphprof_seam_updated(...) (::graphprof::preload::loaded.updated(__VA_ARGS__))
#define graphprof_seam_uploaded(...) (::graphprof::preload::loaded.uploaded(__VA_ARGS__))
#define graphprof_seam_execDestroying(...)                                                         \
  (::graphprof::preload::loaded.execDestroying(__VA_ARGS__))
// Also notes the launch for the message at the end.
#define graphprof_seam_launch(...)                                                                 \
  (::graphprof::preload::noteLaunch(), ::graphprof::preload::loaded.launch(__VA_ARGS__))
#define graphprof_seam_launchedPlain(...) (::graphprof::preload::loaded.launchedPlain(__VA_ARGS__))
#define graphprof_seam_deviceResetting(...)                                                        \
  (::graphprof::preload::loaded.deviceResetting(__VA_ARGS__))
#define graphprof_seam_graphCreated(...) (::graphprof::preload::loaded.graphCreated(__VA_ARGS__))
#define graphprof_seam_nodeAdded(...) (::graphprof::preload::loaded.nodeAdded(__VA_ARGS__))
#define graphprof_seam_bodiesAdded(...) (::graphprof::preload::loaded.bodiesAdded(__VA_ARGS__))
#define graphprof_seam_childAdded(...) (::graphprof::preload::loaded.childAdded(__VA_ARGS__))
#define graphprof_seam_nodeDestroying(...)                                                         \
  (::graphprof::preload::loaded.nodeDestroying(__VA_ARGS__))
#define graphprof_seam_graphDestroying(...)                                                        \
  (::graphprof::preload::loaded.graphDestroying(__VA_ARGS__))
#define graphprof_seam_graphCloned(...) (::graphprof::preload::loaded.graphCloned(__VA_ARGS__))
#define graphprof_seam_graphEdited(...) (::graphprof::preload::loaded.graphEdited(__VA_ARGS__))
#define graphprof_seam_nodeEdited(...) (::graphprof::preload::loaded.nodeEdited(__VA_ARGS__))
#define graphprof_seam_nodeTwin(...) (::graphprof::preload::loaded.nodeTwin(__VA_ARGS__))
#define graphprof_seam_nodeChanged(...) (::graphprof::preload::loaded.nodeChanged(__VA_ARGS__))
#define graphprof_seam_twin(...) (::graphprof::preload::loaded.twin(__VA_ARGS__))
#define graphprof_seam_execNodeChanged(...)                                                        \
  (::graphprof::preload::loaded.execNodeChanged(__VA_ARGS__))
#define graphprof_seam_childSetting(...) (::graphprof::preload::loaded.childSetting(__VA_ARGS__))
#define graphprof_seam_childSet(...) (::graphprof::preload::loaded.childSet(__VA_ARGS__))
#define graphprof_seam_childSetInGraph(...)                                                        \
  (::graphprof::preload::loaded.childSetInGraph(__VA_ARGS__))
#define graphprof_seam_nodeSwitching(...) (::graphprof::preload::loaded.nodeSwitching(__VA_ARGS__))
#define graphprof_seam_notMirrored(...) (::graphprof::preload::loaded.notMirrored(__VA_ARGS__))
#define graphprof_seam_inStep(...) (::graphprof::preload::loaded.inStep(__VA_ARGS__))
#define graphprof_seam_copyBegins(...) (::graphprof::preload::loaded.copyBegins(__VA_ARGS__))
#define graphprof_seam_copyEnded(...) (::graphprof::preload::loaded.copyEnded(__VA_ARGS__))
#define graphprof_seam_allocated(...) (::graphprof::preload::loaded.allocated(__VA_ARGS__))
#define graphprof_seam_allocatedOn(...) (::graphprof::preload::loaded.allocatedOn(__VA_ARGS__))
#define graphprof_seam_freeing(...) (::graphprof::preload::loaded.freeing(__VA_ARGS__))
#define graphprof_seam_freed(...) (::graphprof::preload::loaded.freed(__VA_ARGS__))
#define graphprof_seam_mappableCreated(...)                                                        \
  (::graphprof::preload::loaded.mappableCreated(__VA_ARGS__))
#define graphprof_seam_mappableRetained(...)                                                       \
  (::graphprof::preload::loaded.mappableRetained(__VA_ARGS__))
#define graphprof_seam_mappableMapped(...)                                                         \
  (::graphprof::preload::loaded.mappableMapped(__VA_ARGS__))
#define graphprof_seam_mappableReleasing(...)                                                      \
  (::graphprof::preload::loaded.mappableReleasing(__VA_ARGS__))
#define graphprof_seam_mappableUnmapping(...)                                                      \
  (::graphprof::preload::loaded.mappableUnmapping(__VA_ARGS__))
#define graphprof_seam_mappableTaken(...) (::graphprof::preload::loaded.mappableTaken(__VA_ARGS__))

#endif // GRAPHPROF_PRELOAD_LIBRARYCALLNAMES_H
