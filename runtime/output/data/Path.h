// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_OUTPUT_DATA_PATH_H
#define GRAPHPROF_OUTPUT_DATA_PATH_H

#include <cstddef>
#include <string>
#include <string_view>

namespace graphprof {

/// What a path holds before the last name: regions that nest thousands deep would else have paths
/// of a gigabyte in all.
inline constexpr std::size_t mostPathBytes = 4'096;

/// The path of the region `name` inside the one with the path `around`. If it is too long, the
/// names in the middle are left out: "outermost/next/.../name".
[[nodiscard]] std::string pathInside(std::string_view around, std::string_view name,
                                     char separator = '/');

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_PATH_H
