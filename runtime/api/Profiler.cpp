// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/profiler.h

#include "graphprof/profiler.h"

#include <memory>
#include <utility>

#include "api/Lifetime.h"
#include "output/Callback.h"
#include "session/Session.h"

namespace graphprof {

Profiler::Profiler(DumpFunction dump)
    : output_(active() ? Session::instance().attach(std::make_unique<Callback>(std::move(dump)))
                       : nullptr) {
  if (output_)
    used();
}

Profiler::~Profiler() {
  if (!output_ || inForkedChild())
    return;
  flush();
  Session::instance().detach(static_cast<Output *>(output_));
}

} // namespace graphprof
