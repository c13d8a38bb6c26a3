// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Guesses which word a misspelt one stands for.

#ifndef GRAPHPROF_OUTPUT_IO_NEARMISS_H
#define GRAPHPROF_OUTPUT_IO_NEARMISS_H

#include <span>
#include <string>
#include <string_view>

namespace graphprof {

/// The word of `known` that is nearest to `word`, at a distance of at most a third of its letters
/// (missing, added, replaced, swapped); empty if there is none.
[[nodiscard]] std::string_view nearMiss(std::string_view word,
                                        std::span<const std::string_view> known);

/// The end of a message: " (did you mean table?)", or nothing.
[[nodiscard]] std::string didYouMean(std::string_view word,
                                     std::span<const std::string_view> known);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_NEARMISS_H
