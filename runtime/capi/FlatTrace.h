// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the handle of a trace is.

#ifndef GRAPHPROF_CAPI_FLATTRACE_H
#define GRAPHPROF_CAPI_FLATTRACE_H

#include <string>
#include <utility>

#include "graphprof/capi.h"
#include "graphprof/trace.h"

struct graphprof_capi_trace {
  explicit graphprof_capi_trace(graphprof::Trace of)
      : trace(std::move(of)), events(trace.events()), hostEvents(trace.host_events()),
        id(trace.get_trace_id()) {}

  const graphprof::Trace trace;
  const graphprof::Events events;
  const graphprof::HostEvents hostEvents;
  const std::string id;
};

#endif // GRAPHPROF_CAPI_FLATTRACE_H
