// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names for narrow columns. Names of kernels are long, and many begin alike: shortened ones must
// still be told apart.

#ifndef GRAPHPROF_OUTPUT_IO_SHORTNAME_H
#define GRAPHPROF_OUTPUT_IO_SHORTNAME_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphprof {

/// The name with "{}" for each number that stands alone: "layer 12" is "layer {}", but "fp16" and
/// "conv2d" stay.
[[nodiscard]] std::string withoutNumbers(std::string_view name);
/// The common form of names that are equal without their numbers: only numbers that differ are
/// "{}". "layer {} gemm 128" of "layer 0 gemm 128" and "layer 1 gemm 128".
[[nodiscard]] std::string commonName(std::span<const std::string_view> names);

/// One name of at most `width` code points: without its template arguments, if that is enough, then
/// without its namespaces, then without its middle.
[[nodiscard]] std::string shortName(std::string_view name, std::size_t width);
/// Of several names. Different names stay different; if what is left of them is equal, they show
/// the part in which they differ, and at last a number. `widths`: one for each.
[[nodiscard]] std::vector<std::string> shortNames(std::span<const std::string> names,
                                                  std::span<const std::size_t> widths);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_SHORTNAME_H
