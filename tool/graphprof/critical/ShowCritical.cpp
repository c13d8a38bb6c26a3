// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ShowCritical.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <regex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "figures/Render.h"
#include "figures/Runs.h"
#include "output/data/LossText.h"
#include "output/io/Text.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Graph = CriticalFigures::Graph;
using Row = CriticalFigures::Row;
using Holds = FigureColumn::Holds;

double percentOf(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Figure median(const Distribution &durations) { return Figure::quantile(durations, 0.5); }

// What a node waited for, and how long until it began then.
std::string waitedFor(const Graph &graph, const Row &row) {
  if (!row.isNode || row.gap.empty())
    return {};
  if (row.waitedFor == GraphNodes::none)
    return "the begin";
  // In the same region its name is enough.
  const Row &from = graph.rows[row.waitedFor];
  const auto around = [](const Row &of) {
    return std::string_view(of.path).substr(0, of.path.size() -
                                                   std::min(of.path.size(), of.name.size()));
  };
  return around(from) == around(row) ? from.name : from.path;
}

// `more`: how many are not among them, because they are more than `look` asks for.
std::vector<const Row *> shownRows(const Graph &graph, const CriticalLook &look,
                                   std::size_t &more) {
  std::vector<const Row *> shown;
  const std::regex filter(look.filter);
  for (const Row &row : graph.rows)
    if (look.filter.empty() || std::regex_search(row.path, filter))
      shown.push_back(&row);
  // Equal ones in the order of the records.
  const auto by = [&](auto less) {
    std::sort(shown.begin(), shown.end(), [&](const Row *one, const Row *other) {
      return less(one, other) || (!less(other, one) && one < other);
    });
  };
  switch (look.sort) {
  case CriticalLook::Sort::Path:
    by([](const Row *one, const Row *other) { return one->pathNs > other->pathNs; });
    break;
  case CriticalLook::Sort::Slack: // the least first; those without one last
    by([](const Row *one, const Row *other) {
      if (!one->slack.isClaimed() || !other->slack.isClaimed())
        return one->slack.isClaimed() && !other->slack.isClaimed();
      return one->slack.ns.quantileNs(0.5) < other->slack.ns.quantileNs(0.5);
    });
    break;
  case CriticalLook::Sort::Name:
    by([](const Row *one, const Row *other) { return one->path < other->path; });
    break;
  case CriticalLook::Sort::Order:
    break;
  }
  more = shown.size() - std::min(shown.size(), look.most);
  shown.resize(shown.size() - more);
  return shown;
}

std::string title(const Graph &graph) {
  std::string text =
      fmt::format("{} of {}", shownGraph(graph.serves.get(), graph.number), graph.program);
  if (graph.graphs > 1)
    text += fmt::format(" ({} alike)", graph.graphs);
  text += fmt::format(": {}, {}", counted(graph.nodes, "node", "nodes"),
                      counted(graph.edges, "edge", "edges"));
  return text;
}

std::string replaysOf(const Graph &graph) {
  if (graph.replays == 0)
    return {};
  return fmt::format(", {}, {} in the median", counted(graph.replays, "replay", "replays"),
                     median(graph.length).forPeople());
}

// What is not in the table, a sentence each.
std::vector<std::string> remarks(const CriticalFigures &all, const Graph &graph) {
  std::vector<std::string> sentences;
  const auto say = [&](std::string sentence) { sentences.push_back(std::move(sentence)); };
  if (!graph.isOrdered)
    say("its edges make a cycle, which no graph has: the recording is damaged");
  if (graph.replays > 0) {
    say(fmt::format("the critical path is {:.1f} % work and {:.1f} % waiting until a node began",
                    percentOf(graph.pathNs, graph.lengthNs),
                    percentOf(graph.gapNs, graph.lengthNs)) +
        (graph.busyNs > 0 ? fmt::format(", of which {:.1f} % while other branches left it no room",
                                        percentOf(graph.busyNs, graph.lengthNs))
                          : std::string()));
    say(fmt::format("nodes ran for {:.1f} % of the time, two or more at once for {:.1f} %",
                    percentOf(graph.runningNs, graph.lengthNs),
                    percentOf(graph.besideNs, graph.lengthNs)));
    if (graph.competing > 0)
      say(fmt::format("in {}, branches ran beside each other that share multiprocessors, a link or "
                      "the host, or may: their nodes have no slack that could be claimed",
                      counted(graph.competing, "replay", "replays")));
    if (graph.wholePaths < graph.replays)
      say(fmt::format("in {}, the path does not go back to the begin, because a node in it was not "
                      "measured",
                      counted(graph.replays - graph.wholePaths, "replay", "replays")));
    if (graph.untilNext > 0)
      say(fmt::format(
          "{:.0f} % of the times of nodes go to the begin of the next one: the gap before that {}",
          percentOf(static_cast<std::int64_t>(graph.untilNext),
                    static_cast<std::int64_t>(std::max<std::uint64_t>(graph.measured, 1))),
          graph.gapIsKnown ? "is taken off as far as it is known" : "is in them"));
  }
  if (graph.coldReplays > 0)
    say(fmt::format("{} left out: some code ran for the first time",
                    counted(graph.coldReplays, "cold replay", "cold replays")));
  if (graph.partReplays > 0)
    say(fmt::format("{} left out: not all of the graph was recorded in them",
                    counted(graph.partReplays, "replay", "replays")));
  for (std::size_t i = 0; i < graph.whatIf.size(); ++i) {
    const Graph::Prediction &prediction = graph.whatIf[i];
    const WhatIf &asked = all.whatIf()[i];
    if (prediction.nodes == 0) {
      say(fmt::format("what if {}: no node of this graph matches", asked.text));
    } else if (prediction.predicted.empty()) {
      say(fmt::format("what if {}: not known for {}: branches compete, or nodes were not measured",
                      asked.text, counted(prediction.nodes, "node", "nodes")));
    } else {
      const double ns = prediction.predicted.quantileNs(0.5), now = graph.length.quantileNs(0.5);
      // Gaps stay, as far as they are known.
      const std::string least = median(prediction.least).forPeople(),
                        most = median(prediction.most).forPeople();
      say(fmt::format("what if {}: {} instead of {} in the median, {:+.1f} %{} ({}, {}{})",
                      asked.text, median(prediction.predicted).forPeople(),
                      median(graph.length).forPeople(), now > 0 ? 100 * (ns - now) / now : 0.0,
                      least == most ? std::string() : fmt::format(", from {} to {}", least, most),
                      counted(prediction.nodes, "node", "nodes"),
                      counted(prediction.predicted.count(), "replay", "replays"),
                      prediction.refused > 0
                          ? fmt::format("; not known for {} more", prediction.refused)
                          : std::string()));
    }
  }
  return sentences;
}

std::vector<std::string> remarks(const CriticalFigures &all) {
  std::vector<std::string> sentences;
  if (all.without() > 0)
    sentences.push_back(fmt::format(
        "{} left out: the recording does not hold the edges of their graphs; record with "
        "GRAPHPROF_NODES=1 and this version of graphprof, from before the graphs are made",
        counted(all.without(), "replay", "replays")));
  if (all.inParts() > 0)
    sentences.push_back(fmt::format(
        "{} left out: recorded in parts, before a replay of the same graph was recorded "
        "whole; record with GRAPHPROF_PARTS=1",
        counted(all.inParts(), "replay", "replays")));
  if (all.untimed() > 0)
    sentences.push_back(fmt::format(
        "{} left out: the nodes of their graphs were not timed; record with GRAPHPROF_NODES=1. "
        "Graphs with memory or conditional nodes are timed in place, by region only",
        counted(all.untimed(), "replay", "replays")));
  if (all.leftOut() > 0)
    sentences.push_back(fmt::format("{} left out: of more graphs than are told apart",
                                    counted(all.leftOut(), "replay", "replays")));
  std::ranges::move(lossLines(all.runs()), std::back_inserter(sentences));
  return sentences;
}

// Adds rows of a graph, which they name if they are `named`.
void addRows(FigureTable &table, const Graph &graph, const std::vector<const Row *> &rows,
             bool named) {
  for (const Row *const each : rows) {
    const Row &row = *each;
    const std::string waited = waitedFor(graph, row);
    const bool forNode = !waited.empty() && row.waitedFor != GraphNodes::none;
    table.next();
    if (named) {
      table.add("program", graph.program);
      table.add("graph", graph.number);
    }
    table.add("path", "Region or node", row.path, Holds::Names);
    table.add("name", row.name);
    table.add("kind", word(row.kind));
    table.add("replays", "Replays", row.replays);
    table.add("on_path", "On path", row.onPath);
    table.add("percent_of_path", "% of path", Figure::percent(row.percentOfPath()));
    table.add("path_ns", "Time on path", median(row.onPathNs));
    table.add("slack_ns", "Slack",
              row.slack.isClaimed() ? median(row.slack.ns)
                                    : Figure().as(std::string(row.slack.whyNot())));
    table.add("slack_count", row.slack.ns.count());
    table.add("no_slack", Figure::text(row.slack.whyNot()));
    table.add("gap_ns", "Gap", row.isNode ? median(row.gap) : Figure().as({}));
    table.add(
        "busy_percent_of_gap",
        Figure::percent(percentOf(row.busyNs, row.gapNs)).onlyIf(row.isNode && row.gapNs > 0));
    table.add("waited_for", "Waited for",
              (forNode ? Figure(graph.rows[row.waitedFor].path) : Figure()).as(waited),
              Holds::Names);
  }
}

Section section(const CriticalFigures &all, const Graph &graph, const CriticalLook &look) {
  Section made{"critical path of " + title(graph) + replaysOf(graph), {}};
  std::size_t more = 0;
  if (graph.replays > 0)
    addRows(made.table, graph, shownRows(graph, look, more), false);
  if (more > 0)
    made.notes.push_back(counted(more, "row", "rows") + " not shown (--all)");
  std::ranges::move(remarks(all, graph), std::back_inserter(made.notes));
  return made;
}

OrderedJson medianJson(const Distribution &durations) { return asJson(median(durations)); }

OrderedJson graphJson(const CriticalFigures &all, const Graph &graph, const CriticalLook &look) {
  OrderedJson json = {
      {"graph", graph.number},
      {"graph_name", graph.serves ? OrderedJson(utf8(graph.serves->text)) : OrderedJson()},
      {"program", utf8(graph.program)},
      {"alike", graph.graphs},
      {"nodes", graph.nodes},
      {"edges", graph.edges},
      {"replays", graph.replays},
      {"cold_replays", graph.coldReplays},
      {"part_replays", graph.partReplays},
      {"competing_replays", graph.competing},
      {"whole_paths", graph.wholePaths},
      {"replay_ns", medianJson(graph.length)},
      {"work_percent", percentOf(graph.pathNs, graph.lengthNs)},
      {"gap_percent", percentOf(graph.gapNs, graph.lengthNs)},
      {"busy_percent", percentOf(graph.busyNs, graph.lengthNs)},
      {"running_percent", percentOf(graph.runningNs, graph.lengthNs)},
      {"beside_percent", percentOf(graph.besideNs, graph.lengthNs)}};
  std::size_t more = 0;
  FigureTable rows;
  addRows(rows, graph, shownRows(graph, look, more), false);
  json["rows"] = asJson(rows);
  OrderedJson &whatIf = json["what_if"] = OrderedJson::array();
  for (std::size_t i = 0; i < graph.whatIf.size(); ++i)
    whatIf.push_back({{"what_if", utf8(all.whatIf()[i].text)},
                      {"nodes", graph.whatIf[i].nodes},
                      {"replays", graph.whatIf[i].predicted.count()},
                      {"refused", graph.whatIf[i].refused},
                      {"predicted_ns", medianJson(graph.whatIf[i].predicted)},
                      {"least_ns", medianJson(graph.whatIf[i].least)},
                      {"most_ns", medianJson(graph.whatIf[i].most)},
                      {"measured_ns", medianJson(graph.length)}});
  return json;
}

} // namespace

Document criticalDocument(const CriticalFigures &all, const CriticalLook &look) {
  Document document;
  document.about = runLines(all.runs());
  for (const auto &graph : all.graphs())
    document.sections.push_back(section(all, *graph, look));
  document.notes = remarks(all);
  return document;
}

OrderedJson criticalJson(const CriticalFigures &all, const CriticalLook &look) {
  OrderedJson document = {{"graphprof_critical_path", 1}};
  document["runs"] = runsJson(all.runs());
  OrderedJson &graphs = document["graphs"] = OrderedJson::array();
  for (const auto &graph : all.graphs())
    graphs.push_back(graphJson(all, *graph, look));
  document["replays_without_edges"] = all.without();
  document["replays_in_parts"] = all.inParts();
  document["replays_untimed"] = all.untimed();
  document["replays_left_out"] = all.leftOut();
  return document;
}

FigureTable criticalTable(const CriticalFigures &all, const CriticalLook &look) {
  FigureTable table;
  std::size_t more = 0;
  for (const auto &graph : all.graphs())
    addRows(table, *graph, shownRows(*graph, look, more), true);
  return table;
}

} // namespace graphprof
