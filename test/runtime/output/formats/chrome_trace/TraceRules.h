// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The rules for Chrome traces in Kineto's form, so that chrome://tracing, Perfetto and TensorBoard
// show them correctly: those of the "Trace Event Format" document, those of Perfetto's importer
// (spans of a row nest, arrows begin and end in spans), and Kineto's.

#ifndef GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H
#define GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H

#include <string>
#include <vector>

namespace graphprof::test {

/// The broken rules in the trace `text`, one sentence for each. At most a few of each kind.
[[nodiscard]] std::vector<std::string> brokenTraceRules(const std::string &text);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H
