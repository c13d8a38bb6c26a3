// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "backend/Backends.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace graphprof {

namespace {

// The size of the struct in version 1. Later versions add members at its end.
constexpr std::size_t firstSize = sizeof(graphprof_backend);

bool isName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

// The first function that the backend claims but lacks. Null if it has all.
const char *missing(const graphprof_backend &backend) {
  const bool places = backend.can & graphprof_backend_can_place;
  const std::array functions = {
      std::pair("record", backend.record != nullptr),
      std::pair("release", backend.release != nullptr),
      std::pair("elapsed", backend.elapsed != nullptr),
      std::pair("on_each_device", backend.on_each_device != nullptr),
      std::pair("synchronize", backend.synchronize != nullptr),
      std::pair("happened", backend.happened != nullptr),
      std::pair("why", backend.why != nullptr),
      std::pair("when", !places || backend.when),
  };
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [](const auto &function) { return !function.second; });
  return found == functions.end() ? nullptr : found->first;
}

} // namespace

Backends::Backends() : all_{&cudaBackend(), &hostBackend()} {}

std::string Backends::add(const graphprof_backend &backend) {
  if (backend.version == 0 || backend.version > GRAPHPROF_BACKEND_VERSION ||
      backend.size < firstSize)
    return fmt::format("a backend of version {} and {} bytes was registered; this graphprof knows "
                       "version {} of {} bytes: build both with one graphprof/backend.h",
                       backend.version, backend.size, GRAPHPROF_BACKEND_VERSION,
                       sizeof(graphprof_backend));
  const std::string_view name = backend.name ? backend.name : "";
  if (!isName(name))
    return fmt::format("the backend name \"{}\" is not valid: use letters, digits, - and _",
                       name.substr(0, 100));
  if (const char *const function = missing(backend))
    return fmt::format("the backend {} has no function {}: it must have one, or not claim what "
                       "needs it (graphprof_backend::can)",
                       name, function);
  const MutexLock lock(mutex_);
  for (const graphprof_backend *const other : all_)
    if (other->name == name)
      return fmt::format("a second backend with the name {} was registered; the first one stays: "
                         "link it once, or give it another name",
                         name);
  all_.push_back(&backend);
  return {};
}

const graphprof_backend *Backends::find(std::string_view name) const {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(all_.begin(), all_.end(),
                   [name](const graphprof_backend *backend) { return backend->name == name; });
  return found == all_.end() ? nullptr : *found;
}

const graphprof_backend *Backends::named(std::string_view wanted, std::string &complaint) const {
  if (wanted.empty())
    return nullptr;
  if (const graphprof_backend *const found = find(wanted))
    return found;
  complaint = fmt::format("GRAPHPROF_BACKEND={}: there is no such backend; there are {} (a "
                          "backend registers when its library is loaded); using the default",
                          wanted.substr(0, 100), fmt::join(names(), ", "));
  return nullptr;
}

const graphprof_backend &Backends::choose(std::string_view wanted, std::string &complaint) const {
  if (const graphprof_backend *const found = named(wanted, complaint))
    return *found;
  return cudaBackend().enabled() ? cudaBackend() : hostBackend();
}

std::vector<std::string_view> Backends::names() const {
  const MutexLock lock(mutex_);
  std::vector<std::string_view> names;
  names.reserve(all_.size());
  for (const graphprof_backend *const backend : all_)
    names.emplace_back(backend->name);
  return names;
}

} // namespace graphprof
