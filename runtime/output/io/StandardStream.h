// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes to standard output and error, which are the program's own. Raises no signal, always ends,
// and writes nothing into a file that the program has put in their place. Needs the C library only:
// libgraphprof_preload.so has it, too.

#ifndef GRAPHPROF_OUTPUT_IO_STANDARDSTREAM_H
#define GRAPHPROF_OUTPUT_IO_STANDARDSTREAM_H

#include <string_view>

namespace graphprof {

/// Not an errno: the descriptor belongs to the program now.
inline constexpr int takenByProgram = -1;

/// Returns 0, errno or takenByProgram. `descriptor`: 1 or 2. If the reader of a pipe stalls for a
/// second, gives up with EAGAIN, and then does not wait again until something was written.
[[nodiscard]] int writeStandard(int descriptor, std::string_view text) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_STANDARDSTREAM_H
