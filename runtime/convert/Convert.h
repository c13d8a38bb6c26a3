// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Converts the binary format to any other output, as the program itself would have written it.
// Consists of the outputs alone: it records nothing, whatever the environment says.

#ifndef GRAPHPROF_CONVERT_CONVERT_H
#define GRAPHPROF_CONVERT_CONVERT_H

#include <string>
#include <string_view>
#include <vector>

namespace graphprof {

/// The command. `calledAs` is the name that it was called by:
///
///     graphprof-convert run.gprof table run.db trace.json
///
/// Returns its exit status: 0 when all is converted, 1 when something could not be read or written,
/// 2 when it was called wrongly; then nothing is written.
int convertCommand(std::string_view calledAs, const std::vector<std::string> &arguments);

} // namespace graphprof

#endif // GRAPHPROF_CONVERT_CONVERT_H
