// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of the demo's program, through graphprof/capi.h. Not linked, since the command holds
// nothing of the library: found if the program is recorded, as graphprof's Python package does it.

#ifndef GRAPHPROF_TOOL_DEMO_REGIONS_H
#define GRAPHPROF_TOOL_DEMO_REGIONS_H

#include <cstddef>

#include "graphprof/capi.h"

namespace graphprof::demo {

class Regions {
public:
  Regions();

  /// A region of what is captured on this thread, until it is destroyed. `number` is for the "{}"
  /// of the name, if there is one.
  class Region {
  public:
    Region(const Regions &regions, const char *name);
    Region(const Regions &regions, const char *name, int number);
    ~Region();
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

  private:
    void open(const char *name, const graphprof_capi_value *values, std::size_t count);

    const Regions &regions_;
    graphprof_capi_region *region_ = nullptr;
  };

private:
  // Null where nothing is recorded.
  decltype(&graphprof_capi_site_of) siteOf_ = nullptr;
  decltype(&graphprof_capi_region_open) open_ = nullptr;
  decltype(&graphprof_capi_region_end) end_ = nullptr;
};

} // namespace graphprof::demo

#endif // GRAPHPROF_TOOL_DEMO_REGIONS_H
