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

// substr() may throw, and the preload library is linked with the C library only.
constexpr bool beginsWith(std::string_view text, std::string_view with) {
  if (text.size() < with.size())
    return false;
  text.remove_suffix(text.size() - with.size());
  return text == with;
}
constexpr bool endsWith(std::string_view text, std::string_view with) {
  if (text.size() < with.size())
    return false;
  text.remove_prefix(text.size() - with.size());
  return text == with;
}

/// Without what says which version of a function it is, and for which default stream. There may be
/// two such endings: cuStreamBeginCapture_v2_ptsz.
constexpr std::string_view withoutVersion(std::string_view name) {
  for (;;) {
    const std::size_t size = name.size();
    if (endsWith(name, "_ptsz") || endsWith(name, "_ptds"))
      name.remove_suffix(5);
    else if (size > 3 && name[size - 3] == '_' && name[size - 2] == 'v' && name[size - 1] >= '0' &&
             name[size - 1] <= '9')
      name.remove_suffix(3);
    else
      return name;
  }
}

/// Of graphs or captures: Graph in a name, but not Graphics.
constexpr bool isNamedAfterGraphs(std::string_view name) {
  for (; !name.empty(); name.remove_prefix(1))
    if (beginsWith(name, "Capture") || (beginsWith(name, "Graph") && !beginsWith(name, "Graphics")))
      return true;
  return false;
}

/// Whether a function with this exported or declared name of either API may change graphs, and is
/// not exempt. Those that only ask have Get in their names. The caller looks into the lists of
/// redirected calls first.
constexpr bool mayChangeGraphs(std::string_view name) {
  constexpr std::string_view exempt[] = {
#define GRAPHPROF_KNOWN(name, reason) #name,
#include "graphprof/detail/known_calls.def"
  };
  if (!beginsWith(name, "cu") || !isNamedAfterGraphs(name) ||
      name.find("Get") != std::string_view::npos)
    return false;
  std::string_view bare = withoutVersion(name);
  bare.remove_prefix(beginsWith(bare, "cuda") ? 4 : 2);
  for (const std::string_view each : exempt)
    if (each == bare)
      return false;
  return true;
}

static_assert(mayChangeGraphs("cuGraphRewire_v2_ptsz"));
static_assert(mayChangeGraphs("cudaGraphRewire_v2"));
static_assert(!mayChangeGraphs("cuGraphGetNodes") && !mayChangeGraphs("cuGraphDebugDotPrint"));
static_assert(!mayChangeGraphs("cuGraphicsMapResources") && !mayChangeGraphs("myGraphLaunch"));
static_assert(!mayChangeGraphs("cuStreamUpdateCaptureDependencies_v2_ptsz"));

} // namespace detail
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_KNOWN_CALLS_H
