// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one rule that tells nodes of the same name apart, such as two copies of one kind: at one
// place, which is a graph or one execution of a region in it, the second is "NAME #2", the third
// "NAME #3", in the order of the records. A region's name is the program's, so regions with the
// same name at one place are the same row. Does not know what is shown where.

#ifndef GRAPHPROF_OUTPUT_DATA_PLACES_H
#define GRAPHPROF_OUTPUT_DATA_PLACES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "graphprof/record.h"

namespace graphprof {

/// Counts the nodes at one place.
class Places {
public:
  /// Which of the nodes of its name the next record there is, from 1; always 1 for a region. Each
  /// iteration of a conditional node's body begins anew. `name` must stay where it is.
  [[nodiscard]] std::uint32_t next(Kind kind, std::string_view name, std::int64_t iteration = -1) {
    if (kind == Kind::Region)
      return 1;
    if (iteration != iteration_)
      met_.clear();
    iteration_ = iteration;
    return ++met_[name];
  }

private:
  std::int64_t iteration_ = -1;
  std::unordered_map<std::string_view, std::uint32_t> met_;
};

/// The name with its number, if that is not 1.
[[nodiscard]] inline std::string nameAt(std::string_view name, std::uint32_t place) {
  return place < 2 ? std::string(name) : fmt::format("{} #{}", name, place);
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_PLACES_H
