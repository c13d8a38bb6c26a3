// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PrintCritical.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <regex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "figures/Runs.h"
#include "output/data/LossText.h"
#include "output/formats/csv/Csv.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/io/Words.h"
#include "report/Print.h"

namespace graphprof {

namespace {

using Graph = CriticalFigures::Graph;
using Row = CriticalFigures::Row;

double percentOf(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string median(const Distribution &durations) {
  return durations.empty() ? std::string(noValue)
                           : formatTime(durations.quantileNs(0.5), durations.exact());
}

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

std::vector<const Row *> shownRows(const Graph &graph, const CriticalLook &look) {
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
                     median(graph.length));
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
      const std::string least = median(prediction.least), most = median(prediction.most);
      say(fmt::format("what if {}: {} instead of {} in the median, {:+.1f} %{} ({}, {}{})",
                      asked.text, formatTime(ns, prediction.predicted.exact()),
                      median(graph.length), now > 0 ? 100 * (ns - now) / now : 0.0,
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
  Losses losses{};
  for (const RunFacts &run : all.runs())
    for (const LossKind &kind : lossKinds())
      losses.*kind.count += run.losses.*kind.count;
  for (std::string &sentence : lossSentences(losses))
    sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<Columns::Cells> cellsOf(const Graph &graph, const std::vector<const Row *> &rows) {
  std::vector<Columns::Cells> cells;
  cells.reserve(rows.size());
  for (const Row *row : rows)
    cells.push_back({{},
                     fmt::format("{}", row->replays),
                     fmt::format("{}", row->onPath),
                     formatPercent(row->percentOfPath()),
                     median(row->onPathNs),
                     row->slack.text(),
                     row->isNode ? median(row->gap) : std::string(),
                     waitedFor(graph, *row)});
  return cells;
}

constexpr const char *headings[] = {"Region or node", "Replays", "On path", "% of path",
                                    "Time on path",   "Slack",   "Gap",     "Waited for"};

} // namespace

std::string criticalText(const CriticalFigures &all, const CriticalLook &look) {
  std::string text = runsText(all.runs(), "");
  for (const auto &each : all.graphs()) {
    const Graph &graph = *each;
    text += printable("critical path of " + title(graph) + replaysOf(graph)) + '\n';
    std::vector<const Row *> rows = shownRows(graph, look);
    const std::size_t more = rows.size() - std::min(rows.size(), look.most);
    rows.resize(rows.size() - more);
    if (graph.replays > 0 && !rows.empty()) {
      std::vector<Columns::Cells> cells = cellsOf(graph, rows);
      std::vector<Column> columns;
      for (const char *const heading : headings)
        columns.push_back({heading, 0, false});
      columns.front().left = columns.back().left = true;
      constexpr std::size_t leastName = 24, leastWaited = 12;
      // The two texts share what the numbers leave.
      Columns widths(columns);
      std::vector<Columns::Cells> without = cells;
      for (Columns::Cells &row : without)
        row.back().clear();
      widths.fit(without);
      const std::size_t room =
          look.width == 0 ? SIZE_MAX : look.width - std::min(look.width, widths.width());
      const std::size_t forNames = room == SIZE_MAX ? room : std::max(leastName, room * 2 / 3),
                        forWaited = room == SIZE_MAX ? room : std::max(leastWaited, room / 3);
      std::vector<std::string> names, waited;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        names.push_back(printable(rows[i]->path));
        waited.push_back(printable(cells[i].back()));
      }
      names = shortNames(names, std::vector<std::size_t>(names.size(), forNames));
      waited = shortNames(waited, std::vector<std::size_t>(waited.size(), forWaited));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        cells[i].front() = names[i];
        cells[i].back() = waited[i];
      }
      Columns table(std::move(columns));
      table.fit(cells);
      table.rule();
      table.headings();
      table.rule();
      for (const Columns::Cells &row : cells)
        table.line(row);
      table.rule();
      text += std::move(table).text();
      if (more > 0)
        text += fmt::format("{} not shown (--all)\n", counted(more, "row", "rows"));
    }
    for (const std::string &sentence : remarks(all, graph))
      text += printable(sentence) + '\n';
  }
  for (const std::string &sentence : remarks(all))
    text += printable(sentence) + '\n';
  return text;
}

std::string criticalMarkdown(const CriticalFigures &all, const CriticalLook &look) {
  std::string text;
  auto out = std::back_inserter(text);
  for (const auto &each : all.graphs()) {
    const Graph &graph = *each;
    fmt::format_to(out, "**graphprof: critical path of {}**\n\n",
                   markdownCell(title(graph) + replaysOf(graph)));
    std::vector<const Row *> rows = shownRows(graph, look);
    rows.resize(std::min(rows.size(), look.most));
    if (graph.replays > 0 && !rows.empty()) {
      for (const char *const heading : headings)
        fmt::format_to(out, "| {} ", heading);
      text += "|\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
      std::vector<Columns::Cells> cells = cellsOf(graph, rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        cells[i].front() = rows[i]->path;
        for (const std::string &cell : cells[i])
          fmt::format_to(out, "| {} ", markdownCell(cell));
        text += "|\n";
      }
      text += '\n';
    }
    for (const std::string &sentence : remarks(all, graph))
      fmt::format_to(out, "- {}\n", markdownCell(sentence));
    text += '\n';
  }
  text += runsText(all.runs(), "- ");
  for (const std::string &sentence : remarks(all))
    fmt::format_to(out, "- {}\n", markdownCell(sentence));
  return text;
}

namespace {

OrderedJson medianJson(const Distribution &durations) {
  return durations.empty() ? OrderedJson() : OrderedJson(durations.quantileNs(0.5));
}

OrderedJson rowJson(const Graph &graph, const Row &row) {
  const std::string from = waitedFor(graph, row);
  return {{"name", utf8(row.name)},
          {"path", utf8(row.path)},
          {"kind", word(row.kind)},
          {"replays", row.replays},
          {"on_path", row.onPath},
          {"percent_of_path", row.percentOfPath()},
          {"path_ns", medianJson(row.onPathNs)},
          {"slack_ns", row.slack.isClaimed() ? medianJson(row.slack.ns) : OrderedJson()},
          {"slack_count", row.slack.ns.count()},
          {"no_slack", row.slack.isClaimed() ? OrderedJson() : OrderedJson(row.slack.whyNot())},
          {"gap_ns", row.isNode ? medianJson(row.gap) : OrderedJson()},
          {"busy_percent_of_gap", row.isNode && row.gapNs > 0
                                      ? OrderedJson(percentOf(row.busyNs, row.gapNs))
                                      : OrderedJson()},
          {"waited_for", from.empty() || row.waitedFor == GraphNodes::none
                             ? OrderedJson()
                             : OrderedJson(utf8(graph.rows[row.waitedFor].path))}};
}

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
  OrderedJson &rows = json["rows"] = OrderedJson::array();
  std::vector<const Row *> shown = shownRows(graph, look);
  shown.resize(std::min(shown.size(), look.most));
  for (const Row *row : shown)
    rows.push_back(rowJson(graph, *row));
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

std::string criticalJson(const CriticalFigures &all, const CriticalLook &look) {
  OrderedJson document = {{"graphprof_critical_path", 1}};
  document["runs"] = runsJson(all.runs());
  OrderedJson &graphs = document["graphs"] = OrderedJson::array();
  for (const auto &graph : all.graphs())
    graphs.push_back(graphJson(all, *graph, look));
  document["replays_without_edges"] = all.without();
  document["replays_in_parts"] = all.inParts();
  document["replays_untimed"] = all.untimed();
  document["replays_left_out"] = all.leftOut();
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

std::string criticalCsv(const CriticalFigures &all, const CriticalLook &look) {
  std::string text =
      "program,graph,path,name,kind,replays,on_path,percent_of_path,path_ns,slack_ns,"
      "slack_count,no_slack,gap_ns,waited_for\n";
  auto out = std::back_inserter(text);
  const auto medianOf = [](const Distribution &durations) {
    return durations.empty() ? std::string() : fmt::format("{:.1f}", durations.quantileNs(0.5));
  };
  for (const auto &each : all.graphs()) {
    const Graph &graph = *each;
    std::vector<const Row *> shown = shownRows(graph, look);
    shown.resize(std::min(shown.size(), look.most));
    for (const Row *row : shown)
      fmt::format_to(
          out, "{},{},{},{},{},{},{},{:.6g},{},{},{},{},{},{}\n", csvField(graph.program),
          graph.number, csvField(row->path), csvField(row->name), word(row->kind), row->replays,
          row->onPath, row->percentOfPath(), medianOf(row->onPathNs),
          row->slack.isClaimed() ? medianOf(row->slack.ns) : std::string(), row->slack.ns.count(),
          row->slack.whyNot(), row->isNode ? medianOf(row->gap) : std::string(),
          row->isNode && row->waitedFor != GraphNodes::none
              ? csvField(graph.rows[row->waitedFor].path)
              : std::string());
  }
  return text;
}

} // namespace graphprof
