// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with their times as JSON.

#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "output/formats/graph/GraphText.h"
#include "output/io/Json.h"

namespace graphprof {

namespace {

void appendNumber(std::string &text, std::string_view key, std::uint32_t number) {
  if (number != GraphNodes::none)
    fmt::format_to(std::back_inserter(text), ",\"{}\":{}", key, number);
}

void appendTimes(std::string &text, const Distribution &durations, bool cold) {
  fmt::format_to(std::back_inserter(text), ",\"count\":{}", durations.count());
  if (durations.count() > 0)
    fmt::format_to(std::back_inserter(text),
                   ",\"total_ns\":{},\"min_ns\":{},\"median_ns\":{:.0f},\"p95_ns\":{:.0f},"
                   "\"p99_ns\":{:.0f},\"max_ns\":{}{}{}",
                   durations.sumNs(), durations.minNs(), durations.quantileNs(0.5),
                   durations.quantileNs(0.95), durations.quantileNs(0.99), durations.maxNs(),
                   durations.exact() ? "" : ",\"rounded\":true", cold ? ",\"cold\":true" : "");
}

std::string nodeText(const GraphNodes::Node &node, std::size_t number) {
  std::string text = fmt::format(R"({{"id":{},"type":{},"name":{},"after":[)", number,
                                 jsonString(node.type), jsonString(node.name));
  for (std::size_t i = 0; i < node.after.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", i == 0 ? "" : ",", node.after[i]);
  text += ']';
  appendNumber(text, "region", node.region);
  appendNumber(text, "timed", node.timed);
  appendNumber(text, "inside", node.inside);
  return text + '}';
}

std::string regionText(const GraphWithTimes &timed, std::size_t number) {
  const GraphNodes::Region &region = timed.graph->regions[number];
  std::string text = fmt::format(R"({{"id":{},"name":{}{})", number, jsonString(region.name),
                                 region.isNode ? R"(,"node":true)" : "");
  if (timed.places[number] > 1)
    appendNumber(text, "place", timed.places[number]);
  appendNumber(text, "parent", region.parent);
  appendNumber(text, "inside", region.inside);
  if (region.site && region.site->line > 0)
    fmt::format_to(std::back_inserter(text), R"(,"file":{},"line":{},"function":{})",
                   jsonString(region.site->file), region.site->line,
                   jsonString(region.site->function));
  const GraphWithTimes::Times &times = timed.regions[number].shown();
  appendTimes(text, times.durations, timed.regions[number].isCold());
  fmt::format_to(std::back_inserter(text), ",\"not_measured\":{}", times.notMeasured);
  if (const double percent = timed.percentOf(number); percent >= 0)
    fmt::format_to(std::back_inserter(text), ",\"percent\":{:.3f}", percent);
  return text + '}';
}

template <class Texts> void appendList(std::string &text, std::size_t count, Texts textOf) {
  for (std::size_t i = 0; i < count; ++i)
    fmt::format_to(std::back_inserter(text), "{}\n   {}", i == 0 ? "" : ",", textOf(i));
}

} // namespace

std::string graphsAsJson(const GraphTimes &times) {
  std::string text = "{\"schema\":\"graphprof-graphs-1\",\"graphs\":[";
  bool first = true;
  for (const auto &timed : times.graphs()) {
    fmt::format_to(std::back_inserter(text),
                   "{}\n {{\"graph\":{},\"last\":{},\"graphs\":{},\"replays\":{},"
                   "\"cold_replays\":{},\"span\":{{\"unit\":\"ns\"",
                   first ? "" : ",", timed->first, timed->last, timed->graphs, timed->replays,
                   timed->coldReplays);
    first = false;
    appendTimes(text, timed->spans.shown(), timed->spans.isCold());
    text += "},\n  \"regions\":[";
    appendList(text, timed->regions.size(),
               [&](std::size_t number) { return regionText(*timed, number); });
    text += "],\n  \"nodes\":[";
    appendList(text, timed->graph->nodes.size(),
               [&](std::size_t number) { return nodeText(timed->graph->nodes[number], number); });
    text += "]}";
  }
  return text + "\n]}\n";
}

} // namespace graphprof
