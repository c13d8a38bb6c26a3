// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In a file that includes this, the forms of redirected calls (graphprof/detail/call_forms.h) call
// the functions found in libgraphprof.so, with which this library is not linked. Include it after
// seam.h, whose functions have the same names. There is a name for each row of seam.def.

#ifndef GRAPHPROF_PRELOAD_TOLDNAMES_H
#define GRAPHPROF_PRELOAD_TOLDNAMES_H

#include "preload/Telling.h"

#define graphprof_seam_captureBegan(...) (::graphprof::preload::told.captureBegan(__VA_ARGS__))
#define graphprof_seam_captureEnding(...) (::graphprof::preload::told.captureEnding(__VA_ARGS__))
#define graphprof_seam_captureEnded(...) (::graphprof::preload::told.captureEnded(__VA_ARGS__))
#define graphprof_seam_waited(...) (::graphprof::preload::told.waited(__VA_ARGS__))
#define graphprof_seam_graphUsing(...) (::graphprof::preload::told.graphUsing(__VA_ARGS__))
#define graphprof_seam_instantiating(...) (::graphprof::preload::told.instantiating(__VA_ARGS__))
#define graphprof_seam_instantiated(...) (::graphprof::preload::told.instantiated(__VA_ARGS__))
#define graphprof_seam_updating(...) (::graphprof::preload::told.updating(__VA_ARGS__))
#define graphprof_seam_updated(...) (::graphprof::preload::told.updated(__VA_ARGS__))
#define graphprof_seam_uploaded(...) (::graphprof::preload::told.uploaded(__VA_ARGS__))
#define graphprof_seam_execDestroying(...) (::graphprof::preload::told.execDestroying(__VA_ARGS__))
// Also notes the launch for the message at the end.
#define graphprof_seam_launch(...)                                                                 \
  (::graphprof::preload::noteLaunch(), ::graphprof::preload::told.launch(__VA_ARGS__))
#define graphprof_seam_launchedPlain(...) (::graphprof::preload::told.launchedPlain(__VA_ARGS__))
#define graphprof_seam_deviceResetting(...)                                                        \
  (::graphprof::preload::told.deviceResetting(__VA_ARGS__))
#define graphprof_seam_graphCreated(...) (::graphprof::preload::told.graphCreated(__VA_ARGS__))
#define graphprof_seam_nodeAdded(...) (::graphprof::preload::told.nodeAdded(__VA_ARGS__))
#define graphprof_seam_bodiesAdded(...) (::graphprof::preload::told.bodiesAdded(__VA_ARGS__))
#define graphprof_seam_childAdded(...) (::graphprof::preload::told.childAdded(__VA_ARGS__))
#define graphprof_seam_nodeDestroying(...) (::graphprof::preload::told.nodeDestroying(__VA_ARGS__))
#define graphprof_seam_graphDestroying(...)                                                        \
  (::graphprof::preload::told.graphDestroying(__VA_ARGS__))
#define graphprof_seam_graphCloned(...) (::graphprof::preload::told.graphCloned(__VA_ARGS__))
#define graphprof_seam_graphEdited(...) (::graphprof::preload::told.graphEdited(__VA_ARGS__))
#define graphprof_seam_nodeEdited(...) (::graphprof::preload::told.nodeEdited(__VA_ARGS__))
#define graphprof_seam_nodeTwin(...) (::graphprof::preload::told.nodeTwin(__VA_ARGS__))
#define graphprof_seam_nodeChanged(...) (::graphprof::preload::told.nodeChanged(__VA_ARGS__))
#define graphprof_seam_twin(...) (::graphprof::preload::told.twin(__VA_ARGS__))
#define graphprof_seam_execNodeChanged(...)                                                        \
  (::graphprof::preload::told.execNodeChanged(__VA_ARGS__))
#define graphprof_seam_childSetting(...) (::graphprof::preload::told.childSetting(__VA_ARGS__))
#define graphprof_seam_childSet(...) (::graphprof::preload::told.childSet(__VA_ARGS__))
#define graphprof_seam_childSetInGraph(...)                                                        \
  (::graphprof::preload::told.childSetInGraph(__VA_ARGS__))
#define graphprof_seam_nodeSwitching(...) (::graphprof::preload::told.nodeSwitching(__VA_ARGS__))
#define graphprof_seam_notMirrored(...) (::graphprof::preload::told.notMirrored(__VA_ARGS__))
#define graphprof_seam_inStep(...) (::graphprof::preload::told.inStep(__VA_ARGS__))
#define graphprof_seam_copyBegins(...) (::graphprof::preload::told.copyBegins(__VA_ARGS__))
#define graphprof_seam_copyEnded(...) (::graphprof::preload::told.copyEnded(__VA_ARGS__))
#define graphprof_seam_allocated(...) (::graphprof::preload::told.allocated(__VA_ARGS__))
#define graphprof_seam_allocatedOn(...) (::graphprof::preload::told.allocatedOn(__VA_ARGS__))
#define graphprof_seam_freeing(...) (::graphprof::preload::told.freeing(__VA_ARGS__))
#define graphprof_seam_freed(...) (::graphprof::preload::told.freed(__VA_ARGS__))
#define graphprof_seam_mappableCreated(...)                                                        \
  (::graphprof::preload::told.mappableCreated(__VA_ARGS__))
#define graphprof_seam_mappableRetained(...)                                                       \
  (::graphprof::preload::told.mappableRetained(__VA_ARGS__))
#define graphprof_seam_mappableMapped(...) (::graphprof::preload::told.mappableMapped(__VA_ARGS__))
#define graphprof_seam_mappableReleasing(...)                                                      \
  (::graphprof::preload::told.mappableReleasing(__VA_ARGS__))
#define graphprof_seam_mappableUnmapping(...)                                                      \
  (::graphprof::preload::told.mappableUnmapping(__VA_ARGS__))
#define graphprof_seam_mappableTaken(...) (::graphprof::preload::told.mappableTaken(__VA_ARGS__))

#endif // GRAPHPROF_PRELOAD_TOLDNAMES_H
