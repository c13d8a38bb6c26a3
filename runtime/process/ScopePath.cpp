// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/ScopePath.h"

#include <span>
#include <string>
#include <utility>

#include "output/data/Path.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "services/Name.h"
#include "session/Session.h"

namespace graphprof {

namespace {

// The name that the region's records have. Records count shortened names, so this does not.
std::string nameOf(const Site &site, std::span<const Value> context) {
  std::string name = formatName(site.name_format, context);
  (void)shortenName(name, process().session.config().maxName);
  return name;
}

std::string nameOf(const OpenRegion &open, const OpenRegions &regions) {
  if (open.capture)
    return open.capture->nameOf(open.index);
  if (open.isEager()) {
    const EagerRegion &region = regions.eager[open.index];
    return nameOf(*region.site, region.context);
  }
  return open.building ? nameOf(*open.building->site, open.building->context) : std::string();
}

} // namespace

std::string scopePath() {
  const OpenRegions &regions = OpenRegions::ofThisThread();
  std::string path;
  for (const OpenRegion::Held &open : regions.stack) {
    if (open->left.load()) // it has ended on another thread
      continue;
    std::string name = nameOf(*open, regions);
    path = path.empty() ? std::move(name) : pathInside(path, name);
  }
  return path;
}

std::string scopePlace() {
  std::string place;
  for (const OpenRegion::Held &open : OpenRegions::ofThisThread().stack)
    if (const Site *const site = open->site;
        site && site->file && *site->file && !open->left.load()) {
      place = site->file;
      place += ':';
      place += std::to_string(site->line);
    }
  return place;
}

} // namespace graphprof
