// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What `graphprof attach PID status` says of the memory of graphs.

#ifndef GRAPHPROF_PROCESS_GRAPHMEMORYANSWER_H
#define GRAPHPROF_PROCESS_GRAPHMEMORYANSWER_H

#include <string>

namespace graphprof {

/// A JSON object; empty if it is not measured (GRAPHPROF_GRAPH_MEMORY).
[[nodiscard]] std::string graphMemoryAnswer();

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_GRAPHMEMORYANSWER_H
