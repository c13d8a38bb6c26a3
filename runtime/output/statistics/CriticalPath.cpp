// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/CriticalPath.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "output/statistics/LoadOverTime.h"

namespace graphprof {

namespace {

constexpr std::uint32_t none = GraphNodes::none;

// Of the places for blocks on the device. Kernels slow each other before all places are taken,
// because blocks on one multiprocessor share what it computes with. On an H200 (slack-gpu) slacks
// were right in 250 of 250 cases with a quarter of the places taken, in 223 of 250 with half, and
// in about half of the cases with more.
constexpr double tooFull = 0.5;

} // namespace

// The times of one replay. Nothing begins before what it waits for ends: where a node is early, or
// times are read a little late, the part of it before that end is not its own.
// By node. "Whole": behind the whole of what it waited for, not behind what let it begin earlier.
struct CriticalPath::Run {
  Run(std::size_t nodes, std::int64_t replayBeginNs)
      : beginNs(nodes, replayBeginNs), endNs(nodes, replayBeginNs), ownNs(nodes, 0),
        gapNs(nodes, 0), wholeOwnNs(nodes, 0), wholeGapNs(nodes, 0), lessGapNs(nodes, 0),
        moreGapNs(nodes, 0), waitedFor(nodes, none), isKnown(nodes, true), waitIsKnown(nodes, true),
        isLateKnown(nodes, true), lastNs(replayBeginNs) {}
  std::vector<std::int64_t> beginNs, endNs, lateNs;
  std::vector<std::int64_t> ownNs, gapNs, wholeOwnNs, wholeGapNs;
  std::vector<std::int64_t> lessGapNs, moreGapNs; // as in CriticalReplay::Node
  std::vector<std::uint32_t> waitedFor;
  std::vector<bool> isKnown;     // its end
  std::vector<bool> waitIsKnown; // the ends of all that it waited for
  std::vector<bool> isLateKnown; // its latest end
  std::int64_t lastNs;           // the end of the node that ended last
  bool readsBegins = false;      // some times go to the begin of the next node
};

CriticalPath::CriticalPath(std::shared_ptr<const GraphNodes> graph) : graph_(std::move(graph)) {
  expand();
  sort();
  findSections();
  measureNeeds();
}

// A child graph all of whose nodes are timed is these nodes: its own node is its begin, and one
// more is its end. Otherwise it is timed as a whole.
void CriticalPath::expand() {
  const std::vector<GraphNodes::Node> &given = graph_->nodes;
  nodes_.resize(given.size());
  const auto isTimed = [&](const GraphNodes::Node &node) {
    return node.timed != none || node.isInstant();
  };
  // Those of inner graphs come behind their holders, so the innermost are seen first.
  std::vector<bool> holds(given.size(), false), isWholeInside(given.size(), true);
  for (std::size_t i = given.size(); i-- > 0;) {
    const std::uint32_t holder = given[i].inside;
    if (holder >= i)
      continue;
    holds[holder] = true;
    const bool inner = given[i].type == "child graph" && holds[i] && isWholeInside[i];
    if (!inner && !isTimed(given[i]))
      isWholeInside[holder] = false;
  }
  std::vector<std::uint32_t> ends(given.size(), none); // of expanded child graphs
  for (std::uint32_t i = 0; i < given.size(); ++i) {
    const std::uint32_t holder = given[i].inside;
    const bool isShown = holder == none || (holder < i && ends[holder] != none);
    Kind &kind = nodes_[i].kind;
    if (!isShown) {
      kind = Kind::Ignored;
    } else if (given[i].type == "child graph" && holds[i] && isWholeInside[i]) {
      kind = Kind::Instant;
      ends[i] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      nodes_.back().after = {i};
    } else {
      kind = given[i].isInstant()     ? Kind::Instant
             : given[i].timed != none ? Kind::Work
                                      : Kind::Unknown;
    }
  }
  for (std::uint32_t i = 0; i < given.size(); ++i) {
    if (nodes_[i].kind == Kind::Ignored)
      continue;
    for (const std::uint32_t before : given[i].after)
      if (before < given.size() && nodes_[before].kind != Kind::Ignored)
        nodes_[i].after.push_back(ends[before] != none ? ends[before] : before);
    for (const std::uint32_t before : given[i].early)
      if (before < given.size())
        nodes_[i].early.push_back(ends[before] != none ? ends[before] : before);
    if (given[i].inside == none)
      continue;
    if (nodes_[i].after.empty())
      nodes_[i].after.push_back(given[i].inside);
    nodes_[ends[given[i].inside]].after.push_back(ends[i] != none ? ends[i] : i);
  }
  work_ = static_cast<std::size_t>(std::ranges::count_if(nodes_, [](const Node &node) {
    return node.kind == Kind::Work || node.kind == Kind::Unknown;
  }));
}

void CriticalPath::sort() {
  std::vector<std::uint32_t> waitsFor(nodes_.size()), begins(nodes_.size() + 1, 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    waitsFor[i] = static_cast<std::uint32_t>(nodes_[i].after.size());
    for (const std::uint32_t before : nodes_[i].after)
      ++begins[before + 1];
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    begins[i + 1] += begins[i];
  std::vector<std::uint32_t> followers(begins.back()), filled(begins.begin(), begins.end() - 1);
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    for (const std::uint32_t before : nodes_[i].after)
      followers[filled[before]++] = i;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    if (waitsFor[i] == 0)
      order_.push_back(i);
  for (std::size_t at = 0; at < order_.size(); ++at)
    for (std::uint32_t i = begins[order_[at]]; i < begins[order_[at] + 1]; ++i)
      if (--waitsFor[followers[i]] == 0)
        order_.push_back(followers[i]);
}

// A node that no edge passes by, from a node before it to one behind it, is alone: every way
// through the graph goes through it. What comes first or last counts as having edges from the
// graph's begin and to its end.
void CriticalPath::findSections() {
  if (!isOrdered())
    return;
  std::vector<std::uint32_t> places(nodes_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    places[order_[i]] = i;
  std::vector<std::uint32_t> followers(nodes_.size(), 0);
  for (const Node &node : nodes_)
    for (const std::uint32_t before : node.after)
      ++followers[before];
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].after.size() == 1 && followers[nodes_[i].after.front()] == 1)
      nodes_[nodes_[i].after.front()].next = i;
  std::vector<int> passing(order_.size() + 1, 0);
  const auto edge = [&](std::size_t firstPassed, std::size_t to) {
    if (firstPassed < to) {
      ++passing[firstPassed];
      --passing[to];
    }
  };
  for (const std::uint32_t i : order_) {
    if (nodes_[i].kind == Kind::Ignored)
      continue;
    for (const std::uint32_t before : nodes_[i].after) {
      edge(places[before] + 1, places[i]);
    }
    if (nodes_[i].after.empty())
      edge(0, places[i]);
  }
  for (const std::uint32_t i : order_)
    if (nodes_[i].kind != Kind::Ignored && followers[i] == 0)
      edge(places[i] + 1, order_.size());
  std::uint32_t section = 0;
  int now = 0;
  for (std::size_t at = 0; at < order_.size(); ++at) {
    now += passing[at];
    const bool isAlone = now == 0 && nodes_[order_[at]].kind != Kind::Ignored;
    section += isAlone ? 1 : 0;
    nodes_[order_[at]].section = section;
    section += isAlone ? 1 : 0;
  }
  sections_ = section + 1;
  sizes_.assign(sections_, 0);
  for (const Node &node : nodes_)
    if (node.kind == Kind::Work || node.kind == Kind::Unknown)
      ++sizes_[node.section];
  hasUnknown_.assign(sections_, false);
  for (const Node &node : nodes_)
    if (node.kind == Kind::Unknown && sizes_[node.section] > 1)
      hasUnknown_[node.section] = true;
}

bool CriticalPath::hasBranches() const {
  return std::ranges::any_of(sizes_, [](std::uint32_t nodes) { return nodes > 1; });
}

void CriticalPath::measureNeeds() {
  for (std::size_t i = 0; i < graph_->nodes.size(); ++i) {
    const GraphNodes::Node &given = graph_->nodes[i];
    Node &node = nodes_[i];
    if (given.type == "kernel" && given.blocks > 0 && given.resident > 0) {
      node.share = static_cast<double>(given.blocks) / static_cast<double>(given.resident);
      node.blocks = static_cast<double>(given.blocks);
    } else if (given.type == "host function") {
      node.uses = Uses::Host;
    } else if (given.type == "memcpy") {
      const std::string_view name = given.name;
      if (name.starts_with("Memcpy HtoD"))
        node.uses = Uses::ToDevice;
      else if (name.starts_with("Memcpy DtoH"))
        node.uses = Uses::FromDevice;
    }
  }
}

CriticalReplay CriticalPath::of(std::span<const NodeTimes> times, std::int64_t beginNs,
                                std::int64_t endNs) const {
  Run run(nodes_.size(), beginNs);
  CriticalReplay replay;
  replay.measured = walkForwards(times, run);
  replay.untimedNs = std::max<std::int64_t>(0, endNs - run.lastNs);
  replay.lengthNs = run.lastNs + replay.untimedNs - beginNs;
  walkBackwards(run);
  replay.nodes.resize(graph_->nodes.size());
  for (std::uint32_t i = 0; i < replay.nodes.size(); ++i)
    replay.nodes[i] = nodeOf(run, i);
  findCompeting(run, replay);
  findPath(run, replay);
  return replay;
}

// A gap that is in a kernel's time is not the kernel's own: it stays when the kernel takes another
// time. It is behind the kernel if the time goes to the next begin. If no time of the replay does,
// it is before a kernel that begins at the very moment at which what it waited for ended.
void CriticalPath::takeGapOff(std::uint32_t number, const NodeTimes &times, std::int64_t readyNs,
                              Run &run) const {
  constexpr std::int64_t usualNs = 2'000; // at most, on the GPUs that were tried
  std::int64_t &beginNs = run.beginNs[number], &endNs = run.endNs[number];
  const Node &node = nodes_[number];
  const bool isBehind = times.isUntilNext,
             isBefore = !run.readsBegins && beginNs <= readyNs && node.early.empty();
  if (graph_->nodes[number].type != "kernel" || (!isBehind && !isBefore))
    return;
  const std::int64_t lastsNs = endNs - beginNs;
  if (isBehind && times.gapNs >= 0) {
    endNs -= std::min(lastsNs, times.gapNs);
    return;
  }
  const bool isFirst = !isBehind && node.after.empty(); // it may have begun with the replay
  const std::int64_t gapNs = isFirst ? 0 : std::min(lastsNs, graph_->gapNs);
  if (isBehind)
    endNs -= gapNs;
  else
    beginNs += gapNs;
  // What was measured elsewhere may be half as long here, or half longer.
  run.lessGapNs[number] = gapNs / 2;
  run.moreGapNs[number] = std::min(lastsNs - gapNs, graph_->gapNs <= 0 ? usualNs
                                                    : isFirst          ? graph_->gapNs
                                                                       : gapNs / 2);
}

// When each node ran and what it waited for; returns how many were measured.
std::size_t CriticalPath::walkForwards(std::span<const NodeTimes> times, Run &run) const {
  std::size_t measured = 0;
  const std::int64_t replayBeginNs = run.lastNs;
  run.readsBegins = std::ranges::any_of(times, &NodeTimes::isUntilNext);
  for (const std::uint32_t i : order_) {
    const Node &node = nodes_[i];
    if (node.kind == Kind::Ignored)
      continue;
    std::int64_t readyNs = replayBeginNs, wholeReadyNs = replayBeginNs;
    for (const std::uint32_t before : node.after) {
      if (std::ranges::find(node.early, before) == node.early.end())
        wholeReadyNs = std::max(wholeReadyNs, run.endNs[before]);
      run.waitIsKnown[i] = run.waitIsKnown[i] && run.isKnown[before];
      if (run.endNs[before] > readyNs || run.waitedFor[i] == none) {
        readyNs = std::max(readyNs, run.endNs[before]);
        run.waitedFor[i] = before;
      }
    }
    run.beginNs[i] = run.endNs[i] = readyNs;
    if (node.kind == Kind::Instant) {
      run.isKnown[i] = run.waitIsKnown[i];
      continue;
    }
    if (node.kind == Kind::Unknown || !times[i].measured()) {
      run.isKnown[i] = false;
      continue;
    }
    ++measured;
    // Behind something unknown, `readyNs` is only the earliest that it may have been.
    run.endNs[i] = std::max(times[i].endNs, readyNs);
    run.beginNs[i] = std::clamp(times[i].beginNs, readyNs, run.endNs[i]);
    takeGapOff(i, times[i], readyNs, run);
    run.ownNs[i] = run.endNs[i] - run.beginNs[i];
    run.gapNs[i] = run.waitIsKnown[i] ? run.beginNs[i] - readyNs : 0;
    const std::int64_t trulyNs = std::clamp(times[i].beginNs, wholeReadyNs, run.endNs[i]);
    run.wholeOwnNs[i] = run.endNs[i] - trulyNs;
    run.wholeGapNs[i] = run.waitIsKnown[i] ? trulyNs - wholeReadyNs : 0;
    run.lastNs = std::max(run.lastNs, run.endNs[i]);
  }
  return measured;
}

// How late each node could have ended. That is known if it is of all that wait for the node.
void CriticalPath::walkBackwards(Run &run) const {
  run.lateNs.assign(nodes_.size(), run.lastNs);
  for (std::size_t at = order_.size(); at-- > 0;) {
    const std::uint32_t i = order_[at];
    const Node &node = nodes_[i];
    if (node.kind == Kind::Ignored)
      continue;
    // Nothing may be later than not at all.
    const bool isCritical = run.isKnown[i] && run.lateNs[i] <= run.endNs[i];
    const bool isKnown = isCritical || (run.isLateKnown[i] && run.isKnown[i]);
    const std::int64_t beginLateNs = run.lateNs[i] - run.wholeOwnNs[i] - run.wholeGapNs[i];
    run.isLateKnown[i] = isKnown;
    for (const std::uint32_t before : node.after) {
      // When in its run a node lets the next one begin is not known: whatever makes it late may
      // have been before that, and makes the next one as late.
      const bool isEarly = std::ranges::find(node.early, before) != node.early.end();
      const std::int64_t lateNs =
          isEarly ? run.endNs[before] + run.lateNs[i] - run.endNs[i] : beginLateNs;
      run.lateNs[before] = std::min(run.lateNs[before], lateNs);
      if (!isKnown || !run.waitIsKnown[i])
        run.isLateKnown[before] = false;
    }
  }
}

// What follows from both walks for one of the graph's nodes.
CriticalReplay::Node CriticalPath::nodeOf(const Run &run, std::uint32_t number) const {
  CriticalReplay::Node node;
  node.ownNs = run.ownNs[number];
  node.gapNs = run.gapNs[number];
  node.wholeOwnNs = run.wholeOwnNs[number];
  node.wholeGapNs = run.wholeGapNs[number];
  node.lessGapNs = run.lessGapNs[number];
  node.moreGapNs = run.moreGapNs[number];
  const auto waitedFor = [&](std::uint32_t of) {
    return run.waitIsKnown[of] ? run.waitedFor[of] : none;
  };
  node.waitedFor = waitedFor(number);
  while (node.waitedFor != none &&
         (node.waitedFor >= graph_->nodes.size() || nodes_[node.waitedFor].kind == Kind::Instant))
    node.waitedFor = waitedFor(node.waitedFor);
  if (nodes_[number].kind == Kind::Work && run.isKnown[number] && run.isLateKnown[number]) {
    node.why = NoSlack::HasOne;
    node.slackNs = std::max<std::int64_t>(0, run.lateNs[number] - run.endNs[number]);
  }
  return node;
}

// Back from the first of the nodes that ended last.
void CriticalPath::findPath(const Run &run, CriticalReplay &replay) const {
  std::uint32_t last = none;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i)
    if (isMeasured(run, i) && run.endNs[i] == run.lastNs && last == none)
      last = i;
  for (; last != none; last = run.waitedFor[last]) {
    if (nodes_[last].kind != Kind::Instant && last < replay.nodes.size()) {
      replay.nodes[last].isOnPath = true;
      replay.path.push_back(last);
    }
    if (!run.waitIsKnown[last] || !run.isKnown[last])
      break;
    replay.isWhole = run.waitedFor[last] == none;
  }
  std::reverse(replay.path.begin(), replay.path.end());
}

bool CriticalPath::isMeasured(const Run &run, std::uint32_t number) const {
  return nodes_[number].kind == Kind::Work && run.isKnown[number];
}

bool CriticalPath::isTooMuch(Uses what, double share, double blocks) const {
  return what != Uses::Multiprocessors || (share >= tooFull && blocks > graph_->multiprocessors);
}

// Whether there is no room where the node would run if it were as late as it may be. What follows
// in its own branch would be later, too, and leaves its room; beyond some nodes it counts as if it
// did not.
bool CriticalPath::isFullLater(std::uint32_t number, const Run &run,
                               const LoadOverTime &load) const {
  constexpr int mostFollowers = 16;
  const Node &node = nodes_[number];
  const auto isFull = [&](std::int64_t fromNs, std::int64_t toNs, const Node *leaving) {
    LoadOverTime::Step step = load.most(fromNs, toNs);
    if (leaving && leaving->uses == node.uses) {
      step.count -= 1;
      step.share -= leaving->share;
      step.blocks -= leaving->blocks;
    }
    return step.count > 0.5 &&
           isTooMuch(node.uses, step.share + node.share, step.blocks + node.blocks);
  };
  const std::int64_t lateNs = run.lateNs[number];
  std::int64_t atNs = run.endNs[number];
  std::uint32_t next = node.next;
  for (int i = 0; i < mostFollowers && next != none && atNs < lateNs;
       ++i, next = nodes_[next].next) {
    if (!isMeasured(run, next))
      continue;
    const std::int64_t beginNs = std::min(run.beginNs[next], lateNs),
                       endNs = std::min(run.endNs[next], lateNs);
    if (isFull(atNs, beginNs, nullptr) || isFull(beginNs, endNs, &nodes_[next]))
      return true;
    atNs = endNs;
  }
  return isFull(atNs, lateNs, nullptr);
}

// What ran at each time, of the nodes that use the same.
struct CriticalPath::Loads {
  static constexpr std::size_t kinds = 4;
  std::array<LoadOverTime, kinds> byUse;
  std::array<LoadOverTime::Step, kinds> most; // at any time

  [[nodiscard]] const LoadOverTime &of(const Node &node) const {
    return byUse[static_cast<std::size_t>(node.uses)];
  }
  [[nodiscard]] const LoadOverTime::Step &mostOf(const Node &node) const {
    return most[static_cast<std::size_t>(node.uses)];
  }
};

// Also finds for how long anything ran, and anything beside something else.
CriticalPath::Loads CriticalPath::loadsOf(const Run &run, CriticalReplay &replay) const {
  std::array<std::vector<LoadOverTime::Use>, Loads::kinds> uses;
  std::vector<LoadOverTime::Use> all;
  for (std::uint32_t i = 0; i < replay.nodes.size(); ++i) {
    const Node &node = nodes_[i];
    if (!isMeasured(run, i))
      continue;
    const LoadOverTime::Use use{run.beginNs[i], run.endNs[i], node.share, node.blocks};
    uses[static_cast<std::size_t>(node.uses)].push_back(use);
    all.push_back(use);
  }
  const std::int64_t beginNs = run.lastNs + replay.untimedNs - replay.lengthNs;
  const LoadOverTime running(all);
  const auto timeOf = [&](auto is) { return running.timeIf(beginNs, run.lastNs, is); };
  replay.runningNs = timeOf([](const LoadOverTime::Step &step) { return step.count > 0.5; });
  replay.besideNs = timeOf([](const LoadOverTime::Step &step) { return step.count > 1.5; });

  Loads loads{
      {LoadOverTime(uses[0]), LoadOverTime(uses[1]), LoadOverTime(uses[2]), LoadOverTime(uses[3])},
      {}};
  for (std::size_t i = 0; i < Loads::kinds; ++i)
    loads.most[i] = loads.byUse[i].most(beginNs, run.lastNs);
  return loads;
}

// For how long of its gap there was no room for the node.
std::int64_t CriticalPath::busyNsOf(std::uint32_t number, std::int64_t gapNs, const Run &run,
                                    const LoadOverTime &load) const {
  const Node &node = nodes_[number];
  const std::int64_t beginNs = run.beginNs[number];
  return load.timeIf(beginNs - gapNs, beginNs, [&](const LoadOverTime::Step &step) {
    return step.count > 0.5 &&
           isTooMuch(node.uses, step.share + node.share, step.blocks + node.blocks);
  });
}

// Whether the node would find no room if it ran in its slack.
bool CriticalPath::wouldCompete(std::uint32_t number, const CriticalReplay::Node &found,
                                const Run &run, const Loads &loads) const {
  const Node &node = nodes_[number];
  const LoadOverTime::Step &most = loads.mostOf(node);
  return found.why == NoSlack::HasOne && found.slackNs > 0 &&
         isTooMuch(node.uses, most.share + node.share, most.blocks + node.blocks) &&
         isFullLater(number, run, loads.of(node));
}

// Which nodes have no slack that could be claimed: one node that competes, or was not measured,
// takes the claim from all nodes of its section.
void CriticalPath::findCompeting(const Run &run, CriticalReplay &replay) const {
  const Loads loads = loadsOf(run, replay);
  std::vector<bool> competes(sections_, false), isUnknown = hasUnknown_;
  for (std::uint32_t i = 0; i < replay.nodes.size(); ++i) {
    const Node &node = nodes_[i];
    if (node.kind == Kind::Work && !run.isKnown[i])
      isUnknown[node.section] = isUnknown[node.section] || sizes_[node.section] > 1;
    if (!isMeasured(run, i))
      continue;
    const LoadOverTime &load = loads.of(node);
    if (replay.nodes[i].gapNs > 0)
      replay.nodes[i].busyNs = busyNsOf(i, replay.nodes[i].gapNs, run, load);
    const LoadOverTime::Step own = load.most(run.beginNs[i], run.endNs[i]);
    if (own.count > 1.5 && isTooMuch(node.uses, own.share, own.blocks))
      competes[node.section] = true;
  }
  for (std::uint32_t i = 0; i < replay.nodes.size(); ++i) {
    CriticalReplay::Node &node = replay.nodes[i];
    if (!isMeasured(run, i))
      continue;
    if (competes[nodes_[i].section] || wouldCompete(i, node, run, loads))
      node.why = NoSlack::Competes;
    else if (isUnknown[nodes_[i].section])
      node.why = NoSlack::NotMeasured;
    replay.competing += node.why == NoSlack::Competes ? 1 : 0;
    replay.unknown += node.why == NoSlack::NotMeasured ? 1 : 0;
  }
}

} // namespace graphprof
