// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a Chrome trace in Kineto's form has to keep to, so that chrome://tracing, Perfetto and
// TensorBoard show it as it is meant: the rules of the "Trace Event Format" document, those that
// Perfetto's importer adds (spans of a row nest, arrows start and end in spans), and Kineto's.

#ifndef GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H
#define GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H

#include <string>
#include <vector>

namespace graphprof::test {

/// What is wrong with the trace `text`, a sentence each; of one kind at most a few.
[[nodiscard]] std::vector<std::string> brokenTraceRules(const std::string &text);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_RUNTIME_OUTPUT_TRACERULES_H
