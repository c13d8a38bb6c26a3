// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names that threads give to launches, by small numbers: the note of a launch has room for one, and
// counting the users of a shared pointer would cost the launch more. Bounded.

#ifndef GRAPHPROF_GRAPH_REGISTRY_LAUNCHNAMES_H
#define GRAPHPROF_GRAPH_REGISTRY_LAUNCHNAMES_H

#include <cstdint>
#include <memory>

#include "output/data/GraphName.h"

namespace graphprof {

/// Any thread may call any member.
class LaunchNames {
public:
  /// So many different ones are kept. Further ones are one, which says so.
  static constexpr std::uint32_t most = 4'096;
  static constexpr std::uint32_t none = 0;

  /// The number of a name; one for all equal ones. `none` without memory.
  [[nodiscard]] static std::uint32_t
  numberOf(const std::shared_ptr<const GraphName> &name) noexcept;
  /// The name with that number, which is not `none`. Never freed.
  [[nodiscard]] static const std::shared_ptr<const GraphName> &with(std::uint32_t number);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_LAUNCHNAMES_H
