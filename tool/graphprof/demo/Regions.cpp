// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "demo/Regions.h"

#include <cstdlib>

#include <dlfcn.h>

#include "Preload.h"

namespace graphprof::demo {

Regions::Regions() {
  if (!getenv("GRAPHPROF_RUN")) // which `graphprof run` sets
    return;
  // The preload library has loaded it, or will.
  void *const library = dlopen(tool::findPreload().library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  siteOf_ = reinterpret_cast<decltype(siteOf_)>(dlsym(library, "graphprof_capi_site_of"));
  open_ = reinterpret_cast<decltype(open_)>(dlsym(library, "graphprof_capi_region_open"));
  end_ = reinterpret_cast<decltype(end_)>(dlsym(library, "graphprof_capi_region_end"));
}

Regions::Region::Region(const Regions &regions, const char *name, int number) : regions_(regions) {
  graphprof_capi_value value{graphprof_capi_signed, nullptr, {}};
  value.value.i = number;
  open(name, &value, 1);
}

Regions::Region::Region(const Regions &regions, const char *name) : regions_(regions) {
  open(name, nullptr, 0);
}

void Regions::Region::open(const char *name, const graphprof_capi_value *values,
                           std::size_t count) {
  if (regions_.siteOf_ && regions_.open_ && regions_.end_)
    region_ = regions_.open_(regions_.siteOf_(name, nullptr, 0, nullptr),
                             graphprof_capi_in_capture_or_stream, nullptr, values, count, nullptr);
}

Regions::Region::~Region() {
  if (region_)
    regions_.end_(region_);
}

} // namespace graphprof::demo
