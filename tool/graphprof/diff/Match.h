// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which region of one side is which of the other: by path, then by place in the source, kernel and
// number. Does not know times.

#ifndef GRAPHPROF_TOOL_DIFF_MATCH_H
#define GRAPHPROF_TOOL_DIFF_MATCH_H

#include <cstddef>
#include <vector>

#include "Side.h"

namespace graphprof {

struct Match {
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t before = none, after = none; ///< subjects; none: it is new, or gone
  /// Its own name or the place where it runs differs, not only that of what is around it.
  bool renamed = false;
};

/// Each subject of both sides is in one match. In the order of `after`, then those that are gone. A
/// name is only taken for another's if no second one could be meant.
[[nodiscard]] std::vector<Match> matched(const std::vector<Subject> &before,
                                         const std::vector<Subject> &after);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_MATCH_H
