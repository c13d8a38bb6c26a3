// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Everything that needs no CUDA header. Programs that redirect their CUDA calls by hand also
// include graphprof/cuda.h.

#ifndef GRAPHPROF_GRAPHPROF_H
#define GRAPHPROF_GRAPHPROF_H

#include "graphprof/activity.h"
#include "graphprof/control.h"
#include "graphprof/copies.h"
#include "graphprof/execution_trace.h"
#include "graphprof/flops.h"
#include "graphprof/graph_scope.h"
#include "graphprof/host_span.h"
#include "graphprof/key_averages.h"
#include "graphprof/marks.h"
#include "graphprof/memory.h"
#include "graphprof/profile.h"
#include "graphprof/profiler.h"
#include "graphprof/record.h"
#include "graphprof/schedule.h"
#include "graphprof/scope.h"
#include "graphprof/site.h"
#include "graphprof/step.h"
#include "graphprof/tensorboard.h"
#include "graphprof/timer.h"
#include "graphprof/timer_registry.h"
#include "graphprof/trace.h"
#include "graphprof/value.h"
#include "graphprof/version.h"

#endif // GRAPHPROF_GRAPHPROF_H
