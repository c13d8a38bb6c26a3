// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Source.h"

namespace graphprof {

std::string sourceOf(const Site *site, Kind kind) {
  if (!site || kind != Kind::Region || !site->file || !*site->file)
    return {};
  return std::string(site->file) + ':' + std::to_string(site->line);
}

std::string_view functionOf(const Site *site, Kind kind) {
  return site && kind == Kind::Region && site->function ? site->function : std::string_view();
}

} // namespace graphprof
