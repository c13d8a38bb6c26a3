// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The help of `graphprof exporter`, which the command prints where graphprof-exporter is not
// installed, too.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_EXPORTERUSAGE_H
#define GRAPHPROF_TOOL_GRAPHPROF_EXPORTERUSAGE_H

#include <string_view>

namespace graphprof::tool {

inline constexpr std::string_view exporterUsage =
    "usage: graphprof exporter [--listen ADDRESS:PORT] [--max-series N]\n"
    "    serves http://ADDRESS:PORT/metrics to Prometheus, of all processes of yours that can be\n"
    "    reached (graphprof ps); 127.0.0.1:9844 by default\n"
    "    --max-series N   at most so many time series of a process, 2000 by default; what regions "
    "and\n"
    "                     graphs beyond it record is counted in graphprof_left_out_total\n"
    "exit status: 0 ended by SIGINT or SIGTERM, 1 it cannot listen there, 2 called wrongly\n";

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_EXPORTERUSAGE_H
