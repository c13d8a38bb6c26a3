// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// By its name, whether a function of CUDA may make, change, capture or launch graphs, although
// neither known_calls.def nor a list of redirected calls has it: one that a newer CUDA brings. For
// graphprof-instrument and libgraphprof_preload.so; not for programs to call.

#ifndef GRAPHPROF_DETAIL_KNOWN_CALLS_H
#define GRAPHPROF_DETAIL_KNOWN_CALLS_H

#include <cstddef>
#include <string_view>

namespace graphprof {
inline namespace v1 {
namespace detail {

/// Without what says which version of a function it is, and for which default stream. There may be
/// two such endings: cuStreamBeginCapture_v2_ptsz.
constexpr std::string_view withoutVersion(std::string_view name) {
  for (;;) {
    const std::size_t size = name.size();
    if (size > 5 && (name.substr(size - 5) == "_ptsz" || name.substr(size - 5) == "_ptds"))
      name.remove_suffix(5);
    else if (size > 3 && name.substr(size - 3, 2) == "_v" && name[size - 1] >= '0' &&
             name[size - 1] <= '9')
      name.remove_suffix(3);
    else
      return name;
  }
}

/// Of graphs or captures: Graph in a name, but not Graphics.
constexpr bool isNamedAfterGraphs(std::string_view name) {
  for (std::size_t at = name.find("Graph"); at != std::string_view::npos;
       at = name.find("Graph", at + 1))
    if (name.substr(at, 8) != "Graphics")
      return true;
  return name.find("Capture") != std::string_view::npos;
}

/// Whether a function with this exported or declared name of either API may change graphs, and is
/// not exempt. Those that only ask have Get in their names. The caller looks into the lists of
/// redirected calls first.
constexpr bool mayChangeGraphs(std::string_view name) {
  constexpr std::string_view exempt[] = {
#define GRAPHPROF_KNOWN(name, reason) #name,
#include "graphprof/detail/known_calls.def"
  };
  if (name.substr(0, 2) != "cu" || !isNamedAfterGraphs(name) ||
      name.find("Get") != std::string_view::npos)
    return false;
  const std::string_view bare = withoutVersion(name.substr(name.substr(0, 4) == "cuda" ? 4 : 2));
  for (const std::string_view each : exempt)
    if (each == bare)
      return false;
  return true;
}

} // namespace detail
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_KNOWN_CALLS_H
