// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Owns the sites of what was read from files, and the keys of its values, as a program owns its
// own. Each text and each site is there once, so one address is one site, whatever file it is from.

#ifndef GRAPHPROF_OUTPUT_DATA_KEPTSITES_H
#define GRAPHPROF_OUTPUT_DATA_KEPTSITES_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "graphprof/site.h"

namespace graphprof {

class KeptSites {
public:
  [[nodiscard]] const char *keep(std::string_view text) {
    return texts_.emplace(text).first->c_str();
  }
  [[nodiscard]] const Site *keep(std::string_view format, std::string_view file, int line,
                                 std::string_view function) {
    const Site site(keep(format), keep(file), line, keep(function));
    return &sites_.try_emplace({site.name_format, site.file, line, site.function}, site)
                .first->second;
  }

private:
  std::set<std::string, std::less<>> texts_; // the nodes of both containers do not move
  std::map<std::tuple<const char *, const char *, int, const char *>, Site> sites_; // of `texts_`
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_KEPTSITES_H
