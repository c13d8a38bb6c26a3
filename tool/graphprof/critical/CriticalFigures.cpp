// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "CriticalFigures.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "output/data/Places.h"
#include "output/statistics/ByWarmth.h"

namespace graphprof {

namespace {

// Everything that makes two graphs the same: what their nodes are called, and how they depend on
// each other.
std::string signatureOf(const GraphNodes &graph, const std::vector<std::string_view> &paths) {
  std::string text;
  const auto number = [&text](std::uint64_t value) {
    text.append(reinterpret_cast<const char *>(&value), sizeof value);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNodes::Node &node = graph.nodes[i];
    text += node.type;
    text += paths[i];
    number(node.inside);
    number(node.blocks);
    number(node.threads);
    for (const auto *const before : {&node.after, &node.early}) {
      number(before->size());
      for (const std::uint32_t one : *before)
        number(one);
    }
  }
  constexpr std::size_t most = 4096; // bytes: beyond, a hash stands for them
  return text.size() <= most ? text
                             : fmt::format("{} {} {}", graph.nodes.size(), text.size(),
                                           std::hash<std::string>()(text));
}

} // namespace

WhatIf WhatIf::parse(const std::string &text) {
  const std::size_t equals = text.rfind('=');
  WhatIf parsed;
  parsed.text = text;
  std::string_view change =
      equals == std::string::npos ? std::string_view() : std::string_view(text).substr(equals + 1);
  if (change.starts_with("+"))
    change.remove_prefix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(change.data(), change.data() + change.size(), percent);
  constexpr double whole = 100, most = 10'000;
  if (equals == 0 || error != std::errc() || end + 1 != change.data() + change.size() ||
      *end != '%' || !(percent >= -whole && percent <= most))
    throw std::invalid_argument("must be a regular expression, =, and a change from -100% to "
                                "+10000%, such as attention=-20%");
  try {
    parsed.nodes = std::regex(text.substr(0, equals));
  } catch (const std::regex_error &failed) {
    throw std::invalid_argument(
        fmt::format("{} is not a regular expression: {}", text.substr(0, equals), failed.what()));
  }
  parsed.factor = 1 + percent / whole;
  return parsed;
}

void CriticalFigures::begin(const Run &run) {
  RunsListener::begin(run);
  known_ = {};
  replays_ = {};
  ofRun_.clear();
}

void CriticalFigures::add(const Batch &batch) {
  RunsListener::add(batch);
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return Region{region.id, region.parent, nameAt(region.name, region.place), region.path,
                  region.kind};
  });
  replays_.take(batch);
  for (const Batch::Launch &launch : batch.launches)
    if (launch.replay.exec != 0)
      addLaunch(batch, launch);
}

CriticalFigures::Graph *CriticalFigures::graphOf(const Structure &structure, const Replay &replay) {
  const auto [known, isNew] = ofRun_.try_emplace({&structure, replay.graph}, nullptr);
  if (!isNew)
    return known->second;
  const GraphNodes &nodes = structure.path.graph();
  std::vector<std::string_view> paths;
  paths.reserve(nodes.nodes.size());
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i)
    paths.push_back(structure.regions[i] != 0 ? known_.of(structure.regions[i]).path
                                              : nodes.nodes[i].name);
  std::string signature = signatureOf(nodes, paths) + runs().back().run.program;
  if (replay.serves)
    signature += '\n' + replay.serves->text;
  if (const auto same = bySignature_.find(signature); same != bySignature_.end()) {
    ++same->second->graphs;
    return known->second = same->second;
  }
  if (graphs_.size() == mostGraphs || keptNodes_ + nodes.nodes.size() > mostNodes)
    return nullptr;
  keptNodes_ += nodes.nodes.size();
  Graph &graph = *graphs_.emplace_back(std::make_unique<Graph>());
  graph.program = runs().back().run.program;
  graph.number = replay.graph;
  graph.serves = replay.serves;
  graph.nodes = nodes.nodes.size();
  for (const GraphNodes::Node &node : nodes.nodes)
    graph.edges += node.after.size();
  graph.isOrdered = structure.path.isOrdered();
  graph.gapIsKnown = nodes.gapNs > 0;
  graph.workNodes = structure.path.workNodes();
  makeRows(graph, structure);
  bySignature_.emplace(std::move(signature), &graph);
  return known->second = &graph;
}

void CriticalFigures::makeRows(Graph &graph, const Structure &structure) {
  const std::vector<GraphNodes::Node> &nodes = structure.path.graph().nodes;
  graph.rowsOf.resize(nodes.size());
  graph.whatIf.resize(whatIf_.size());
  graph.factors.assign(whatIf_.size(), std::vector<double>(nodes.size(), 1));
  // In the order of records: regions come before what is in them.
  std::vector<std::uint32_t> inOrder;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (structure.regions[i] != 0 && structure.path.isWork(i))
      inOrder.push_back(i);
  std::ranges::sort(inOrder, {}, [&](std::uint32_t i) { return nodes[i].timed; });
  std::unordered_map<std::string_view, std::uint32_t> byKey;
  std::vector<std::uint64_t> around;
  for (const std::uint32_t i : inOrder) {
    const std::uint64_t own = structure.regions[i];
    for (std::size_t w = 0; w < whatIf_.size(); ++w)
      if (std::regex_search(known_.of(own).path, whatIf_[w].nodes)) {
        graph.factors[w][i] = whatIf_[w].factor;
        ++graph.whatIf[w].nodes;
      }
    around.clear();
    for (std::uint64_t at = own; at != 0; at = by_ == By::Kernel ? 0 : known_.of(at).parent)
      around.push_back(at);
    for (auto at = around.rbegin(); at != around.rend(); ++at) {
      const Region &region = known_.of(*at);
      // Of a kernel the name without its number.
      const std::string_view key =
          by_ == By::Kernel ? std::string_view(nodes[i].name) : region.path;
      const auto [row, isNew] =
          byKey.try_emplace(key, static_cast<std::uint32_t>(graph.rows.size()));
      if (isNew) {
        Row &made = graph.rows.emplace_back();
        made.name = by_ == By::Kernel ? nodes[i].name : region.name;
        made.path = std::string(key);
        made.kind = region.kind;
        made.isNode = by_ == By::Region && region.kind != Kind::Region;
      } else if (region.kind != Kind::Region && *at == own) {
        graph.rows[row->second].isNode = false; // several nodes
      }
      graph.rowsOf[i].insert(graph.rowsOf[i].begin(), row->second);
    }
  }
}

void CriticalFigures::addLaunch(const Batch &batch, const Batch::Launch &launch) {
  if (!replays_.knows(launch)) {
    ++(replays_.isUntimed(launch) ? untimed_ : replays_.isDescribed(launch) ? without_ : inParts_);
    return;
  }
  const CriticalReplays::Found found = replays_.of(batch, launch);
  Graph *const graph = graphOf(*found.structure, launch.replay);
  if (!graph) {
    ++leftOut_;
    return;
  }
  if (ranCold(launch.replay)) {
    ++graph->coldReplays;
    return;
  }
  const std::optional<CriticalReplay> replay = replays_.replay();
  if (!replay) {
    ++graph->partReplays;
    return;
  }
  for (const Batch::Timing *const timing : replays_.records())
    graph->untilNext +=
        timing && timing->durationNs >= 0 && timing->ends == Ends::NextBegin ? 1 : 0;
  addReplay(*graph, found.structure->path, *replay);
}

void CriticalFigures::addReplay(Graph &graph, const CriticalPath &path,
                                const CriticalReplay &replay) {
  ++graph.replays;
  graph.wholePaths += replay.isWhole ? 1 : 0;
  graph.competing += replay.competing > 0 ? 1 : 0;
  graph.measured += replay.measured;
  samples_.add(graph.length, replay.lengthNs);
  graph.lengthNs += replay.lengthNs;
  graph.runningNs += replay.runningNs;
  graph.besideNs += replay.besideNs;
  rows_.begin();
  for (std::uint32_t i = 0; i < replay.nodes.size(); ++i) {
    const CriticalReplay::Node &node = replay.nodes[i];
    const std::vector<std::uint32_t> &rows = graph.rowsOf[i];
    for (const std::uint32_t row : rows)
      rows_.add(row, node);
    if (node.isOnPath) {
      graph.pathNs += node.ownNs;
      graph.gapNs += node.gapNs;
      graph.busyNs += node.busyNs;
    }
    if (rows.empty() || !graph.rows[rows.front()].isNode || node.why == NoSlack::NotMeasured)
      continue;
    Row &row = graph.rows[rows.front()];
    samples_.add(row.gap, node.gapNs);
    row.gapNs += node.gapNs;
    row.busyNs += node.busyNs;
    const std::uint32_t from =
        node.waitedFor == GraphNodes::none || graph.rowsOf[node.waitedFor].empty()
            ? GraphNodes::none
            : graph.rowsOf[node.waitedFor].front();
    if (row.waited == 0)
      row.waitedFor = from;
    row.waited += row.waitedFor == from ? 1 : -1; // the majority's vote (Boyer, Moore 1981)
  }
  for (const std::size_t number : rows_.met()) {
    const RowOnPath &row = rows_.of(number);
    graph.rows[number].add(samples_, row, replay.lengthNs);
    if (row.pathNs >= 0)
      samples_.add(graph.rows[number].onPathNs, row.pathNs);
  }
  for (std::size_t w = 0; w < whatIf_.size(); ++w) {
    if (graph.whatIf[w].nodes == 0)
      continue;
    Graph::Prediction &prediction = graph.whatIf[w];
    if (const auto found = path.predicted(replay, graph.factors[w])) {
      samples_.add(prediction.predicted, found->ns);
      samples_.add(prediction.least, found->leastNs);
      samples_.add(prediction.most, found->mostNs);
    } else {
      ++prediction.refused;
    }
  }
}

} // namespace graphprof
