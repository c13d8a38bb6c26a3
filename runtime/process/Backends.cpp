// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/backend.h for the process: which backends there are, and which one is used.

#include <string>

#include "backend/Backends.h"
#include "graphprof/backend.h"
#include "process/BackendRegions.h"
#include "process/Process.h"

namespace graphprof {

Devices &devicesOfProcess() noexcept { return process().devices; }

// Asked from within the driver's first call, so it must not ask for the driver.
const graphprof_backend *backendByName() noexcept {
  static const graphprof_backend *const decided = []() noexcept -> const graphprof_backend * {
    try {
      std::string complaint;
      Process &own = process();
      if (!own.backends) // no memory
        return nullptr;
      const graphprof_backend *const found =
          own.backends->named(own.session.config().backend, complaint);
      if (!complaint.empty())
        own.session.say(complaint);
      return found;
    } catch (...) { // no memory
      return nullptr;
    }
  }();
  return decided;
}

} // namespace graphprof

using graphprof::process;

graphprof_backend_status graphprof_backend_register(const graphprof_backend *backend) noexcept try {
  if (!backend)
    return graphprof_backend_invalid;
  graphprof::Process &own = process();
  if (!own.backends) // no memory
    return graphprof_backend_failed;
  const std::string why = own.backends->add(*backend);
  if (why.empty())
    return graphprof_backend_ok;
  own.session.say(why);
  return graphprof_backend_invalid;
} catch (...) { // no memory
  return graphprof_backend_failed;
}

const graphprof_backend *graphprof_backend_find(const char *name) noexcept try {
  const auto &backends = process().backends;
  return name && backends ? backends->find(name) : nullptr;
} catch (...) {
  return nullptr;
}

const graphprof_backend *graphprof_backend_chosen() noexcept {
  if (const graphprof_backend *const named = graphprof::backendByName())
    return named;
  return graphprof::cudaBackend().enabled() ? &graphprof::cudaBackend() : &graphprof::hostBackend();
}
