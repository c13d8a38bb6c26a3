// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with their times as JSON.

#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "output/formats/graph/GraphText.h"
#include "output/io/JsonColumns.h"
#include "output/io/JsonWriter.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

template <JsonKey name> void numberOf(JsonWriter &json, std::uint32_t number) {
  if (number != GraphNodes::none)
    json.member<name>(number);
}

template <JsonKey name> void rounded(JsonWriter &json, double ns) {
  json.key<name>().raw(fmt::format("{:.0f}", ns));
}

void timesOf(JsonWriter &json, const Distribution &durations, bool cold) {
  json.member<"count">(durations.count());
  if (durations.count() == 0)
    return;
  json.member<"total_ns">(durations.sumNs()).member<"min_ns">(durations.minNs());
  rounded<"median_ns">(json, durations.quantileNs(0.5));
  rounded<"p95_ns">(json, durations.quantileNs(0.95));
  rounded<"p99_ns">(json, durations.quantileNs(0.99));
  json.member<"max_ns">(durations.maxNs());
  if (!durations.exact())
    json.member<"rounded">(true);
  if (cold)
    json.member<"cold">(true);
}

void node(JsonWriter &json, const GraphWithTimes &timed, std::size_t number) {
  const GraphNodes::Node &node = timed.graph->nodes[number];
  json.beginObject().member<"id">(number).member<"type">(node.type).member<"name">(node.name);
  json.key<"after">().beginArray();
  for (const auto before : node.after)
    json.value(before);
  json.endArray();
  if (!node.early.empty()) {
    json.key<"early">().beginArray();
    for (const auto before : node.early)
      json.value(before);
    json.endArray();
  }
  numberOf<"region">(json, node.region);
  numberOf<"timed">(json, node.timed);
  numberOf<"inside">(json, node.inside);
  if (number < timed.nodes.size() && node.timed != GraphNodes::none) {
    const GraphWithTimes::OnPath &figures = timed.nodes[number];
    json.member<"critical">(timed.isCritical(number)).member<"on_path">(figures.replays);
    if (figures.slack.isClaimed())
      rounded<"slack_ns">(json, figures.slack.ns.quantileNs(0.5));
  }
  json.endObject();
}

void region(JsonWriter &json, const GraphWithTimes &timed, std::size_t number) {
  const GraphNodes::Region &region = timed.graph->regions[number];
  json.beginObject().member<"id">(number).member<"name">(region.name);
  if (region.isNode)
    json.member<"node">(true);
  if (timed.places[number] > 1)
    json.member<"place">(timed.places[number]);
  numberOf<"parent">(json, region.parent);
  numberOf<"inside">(json, region.inside);
  if (region.site && region.site->line > 0)
    json.member<"file">(region.site->file)
        .member<"line">(region.site->line)
        .member<"function">(region.site->function);
  const GraphWithTimes::Times &times = timed.regions[number].shown();
  timesOf(json, times.durations, timed.regions[number].isCold());
  json.member<"not_measured">(times.notMeasured);
  if (const Batch::Busy busy = times.busy.shown(); busy.isKnown())
    forEachColumnOf<Batch::Busy>(
        [&](const auto &column) { addColumn(json, column, busy, Missing::LeftOut); });
  if (const double percent = timed.percentOf(number); percent >= 0)
    json.key<"percent">().raw(fmt::format("{:.3f}", percent));
  json.endObject();
}

} // namespace

std::string graphsAsJson(const GraphTimes &times) {
  std::string text;
  JsonWriter json(text);
  json.beginObject().member<"schema">("graphprof-graphs-1").key<"graphs">().beginArray();
  for (const auto &timed : times.graphs()) {
    json.line(" ").beginObject().member<"graph">(timed->first).member<"last">(timed->last);
    if (timed->serves)
      json.member<"graph_name">(timed->serves->text);
    json.member<"graphs">(timed->graphs).member<"replays">(timed->replays);
    json.member<"cold_replays">(timed->coldReplays);
    json.key<"span">().beginObject().member<"unit">("ns");
    timesOf(json, timed->spans.shown(), timed->spans.isCold());
    json.endObject().line("  ").key<"regions">().beginArray();
    for (std::size_t i = 0; i < timed->regions.size(); ++i)
      region(json.line("   "), *timed, i);
    json.endArray().line("  ").key<"nodes">().beginArray();
    for (std::size_t i = 0; i < timed->graph->nodes.size(); ++i)
      node(json.line("   "), *timed, i);
    json.endArray().endObject();
  }
  text += '\n';
  json.endArray().endObject();
  return text + '\n';
}

} // namespace graphprof
