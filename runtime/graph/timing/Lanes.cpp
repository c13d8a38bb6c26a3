// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Lanes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace graphprof {

bool OpenAtCapture::mayHold(std::size_t region, driver::Node node) const {
  const auto segment = segments_.find(node);
  if (segment == segments_.end())
    return true;
  const std::vector<std::size_t> &open = regions_[segment->second];
  return std::find(open.begin(), open.end(), region) != open.end();
}

Lanes::Lanes(driver::Stream origin, Nodes behind) : origin_(origin) {
  origins_.push_back(laneOf(origin));
  observe(origin, std::move(behind));
}

void Lanes::resume(driver::Stream origin) {
  lanes_.clear();
  open_.clear();
  origin_ = origin;
  origins_.push_back(laneOf(origin));
}

std::size_t Lanes::laneOf(driver::Stream stream) {
  const auto [lane, isNew] = lanes_.try_emplace(stream, laneCount_);
  if (isNew)
    ++laneCount_;
  return lane->second;
}

void Lanes::observe(driver::Stream stream, Nodes behind) {
  events_.push_back({What::Seen, laneOf(stream), none, std::move(behind)});
}

void Lanes::opened(std::size_t region, driver::Stream stream, Nodes behind) {
  events_.push_back({What::Opened, laneOf(stream), region, std::move(behind)});
  open_.emplace(region, stream);
}

void Lanes::closed(std::size_t region, driver::Stream stream, Nodes behind) {
  events_.push_back({What::Closed, laneOf(stream), region, std::move(behind)});
  open_.erase(region);
}

void Lanes::discarded(std::size_t region) {
  open_.erase(region);
  for (Event &event : events_)
    if (event.region == region)
      event = {What::Seen, event.lane, none, std::move(event.behind)};
}

void Lanes::waited(driver::Stream stream, Nodes behind, std::size_t created) {
  events_.push_back({What::Waited, laneOf(stream), none, std::move(behind), created});
}

std::vector<driver::Stream> Lanes::openOnes() const {
  std::vector<driver::Stream> streams = {origin_};
  for (const auto &[region, stream] : open_)
    if (std::find(streams.begin(), streams.end(), stream) == streams.end())
      streams.push_back(stream);
  return streams;
}

std::vector<std::size_t> Lanes::openIn(driver::Stream stream) const {
  std::vector<std::size_t> regions;
  for (const auto &[region, of] : open_)
    if (of == stream)
      regions.push_back(region);
  std::sort(regions.begin(), regions.end());
  return regions;
}

void Lanes::nodeGoes(driver::Node node) {
  for (Event &event : events_)
    std::erase(event.behind, node);
}

// Replays the events, now that the nodes between them can be found.
class Lanes::Resolution {
public:
  Resolution(const Lanes &lanes, const Shape &shape)
      : lanes_(lanes), shape_(shape), behind_(lanes.laneCount_), seen_(lanes.laneCount_),
        branch_(lanes.laneCount_, none) {
    for (const std::size_t origin : lanes.origins_) {
      branch_[origin] = branches_.size();
      branches_.push_back({origin, 0, 0, none, true});
    }
  }

  OpenAtCapture run() {
    for (now_ = 0; now_ < lanes_.events_.size(); ++now_) {
      const Event &event = lanes_.events_[now_];
      if (event.what == What::Waited) {
        waited(event);
        continue;
      }
      if (branch_[event.lane] == none)
        begin(event.lane, none, false); // the fork was not seen
      else
        take(event.lane, between(event.behind, behind_[event.lane]));
      see(event.lane, frontier(Nodes(event.behind)));
      if (event.what == What::Opened)
        open_.push_back({event.region, event.lane, now_});
      else if (event.what == What::Closed)
        std::erase_if(open_, [&](const OpenRegion &open) { return open.region == event.region; });
    }
    return std::move(found_);
  }

private:
  // A lane since its last fork.
  struct Branch {
    std::size_t lane;
    std::size_t since;   // the event
    std::size_t created; // how many nodes existed then
    std::size_t from;    // its parent branch; none: an origin, or unknown
    bool known;
  };
  struct OpenRegion {
    std::size_t region, lane, since;
  };

  void begin(std::size_t lane, std::size_t from, bool known) {
    branch_[lane] = branches_.size();
    branches_.push_back({lane, now_, lanes_.events_[now_].created, from, known});
  }

  // May `open` contain what `branch` captures now?
  [[nodiscard]] bool covers(const OpenRegion &open, std::size_t branch) const {
    std::size_t until = now_;
    for (; branch != none; branch = branches_[branch].from) {
      const Branch &at = branches_[branch];
      if (at.lane == open.lane && open.since < until)
        return true;
      if (!at.known)
        return true;
      until = std::min(until, at.since);
    }
    return false;
  }

  // The nodes without an owner, from `from` back to what comes before `since`.
  [[nodiscard]] Nodes between(const Nodes &from, const Nodes &since) const {
    Nodes found, pending = from;
    std::unordered_set<driver::Node> seen(since.begin(), since.end());
    while (!pending.empty()) {
      const driver::Node node = pending.back();
      pending.pop_back();
      if (!shape_.has(node) || found_.segments_.contains(node) || !seen.insert(node).second)
        continue;
      found.push_back(node);
      pending.insert(pending.end(), shape_.before(node).begin(), shape_.before(node).end());
    }
    return found;
  }

  // Notes that `lane` captured `nodes` while the present regions were open.
  void take(std::size_t lane, const Nodes &nodes) {
    if (nodes.empty())
      return;
    std::vector<std::size_t> regions;
    for (const OpenRegion &open : open_)
      if (covers(open, branch_[lane]))
        regions.push_back(open.region);
    const auto segment = static_cast<std::uint32_t>(found_.regions_.size());
    for (const driver::Node node : nodes) {
      found_.segments_.emplace(node, segment);
      owners_.emplace(node, branch_[lane]);
    }
    found_.regions_.push_back(std::move(regions));
  }

  // Does everything in `behind` come before `joined`?
  [[nodiscard]] bool isBefore(const Nodes &behind, const Nodes &joined) const {
    std::size_t first = shape_.order().size();
    std::unordered_set<driver::Node> wanted;
    for (const driver::Node node : behind)
      if (shape_.has(node)) {
        first = std::min(first, shape_.position(node));
        wanted.insert(node);
      }
    std::unordered_set<driver::Node> seen;
    Nodes pending = joined;
    while (!pending.empty() && !wanted.empty()) {
      const driver::Node node = pending.back();
      pending.pop_back();
      if (!shape_.has(node) || shape_.position(node) < first || !seen.insert(node).second)
        continue;
      wanted.erase(node);
      pending.insert(pending.end(), shape_.before(node).begin(), shape_.before(node).end());
    }
    return wanted.empty();
  }

  // The lane that captured `nodes` without an event. Of the lanes that were last seen where `nodes`
  // begin, and that existed before them, it is the newest. Never `waiting`.
  [[nodiscard]] std::size_t laneThatCaptured(const Nodes &nodes, std::size_t waiting) const {
    const std::unordered_set<driver::Node> inside(nodes.begin(), nodes.end());
    std::size_t first = shape_.created().size();
    Nodes beforeThem;
    for (const driver::Node node : nodes) {
      first = std::min(first, shape_.createdAt(node));
      for (const driver::Node before : shape_.before(node))
        if (!inside.contains(before))
          beforeThem.push_back(before);
    }
    beforeThem = frontier(std::move(beforeThem));
    std::size_t found = none;
    for (std::size_t lane = 0; lane < behind_.size(); ++lane)
      if (lane != waiting && branch_[lane] != none && branches_[branch_[lane]].created <= first &&
          behind_[lane] == beforeThem && isNewer(lane, found))
        found = lane;
    return found;
  }
  [[nodiscard]] bool isNewer(std::size_t lane, std::size_t than) const {
    return than == none || branches_[branch_[lane]].since > branches_[branch_[than]].since;
  }

  // The lane that `waiting` waited for: all that it is behind is in `behind`, and `joined` is not
  // behind `waiting` without it. If there are several, the one that was seen last.
  [[nodiscard]] std::size_t laneWaitedFor(std::size_t waiting, const Nodes &behind,
                                          const Nodes &joined) const {
    std::size_t found = none;
    for (std::size_t lane = 0; lane < behind_.size(); ++lane)
      if (lane != waiting && branch_[lane] != none && includes(behind, behind_[lane]) &&
          includes(behind_[lane], joined) && (found == none || seen_[lane] > seen_[found]))
        found = lane;
    return found;
  }
  static bool includes(const Nodes &all, const Nodes &some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  }

  void waited(const Event &event) {
    const std::size_t lane = event.lane;
    const Nodes behind = frontier(Nodes(event.behind));
    Nodes joined;
    std::set_difference(behind.begin(), behind.end(), behind_[lane].begin(), behind_[lane].end(),
                        std::back_inserter(joined));
    if (const Nodes captured = between(joined, {}); !captured.empty())
      if (const std::size_t by = laneThatCaptured(captured, lane); by != none) {
        take(by, captured);
        see(by, joined);
      }
    const std::size_t other = laneWaitedFor(lane, behind, joined);
    std::size_t from = other == none ? none : branch_[other];
    for (const driver::Node node : joined)
      if (const auto owner = owners_.find(node); from == none && owner != owners_.end())
        from = owner->second;
    if (branch_[lane] == none)
      begin(lane, from, from != none);
    else if (from != none && isBefore(behind_[lane], other == none ? joined : behind_[other]))
      begin(lane, from, true);
    see(lane, behind);
  }

  void see(std::size_t lane, Nodes behind) {
    behind_[lane] = std::move(behind);
    seen_[lane] = now_;
  }

  const Lanes &lanes_;
  const Shape &shape_;
  std::size_t now_ = 0;
  std::vector<Nodes> behind_;       // by lane: the frontier() where it was last seen
  std::vector<std::size_t> seen_;   // by lane: the event at which it was last seen
  std::vector<std::size_t> branch_; // by lane: its newest branch
  std::vector<Branch> branches_;
  std::vector<OpenRegion> open_;
  std::unordered_map<driver::Node, std::size_t> owners_; // the branch that captured a node
  OpenAtCapture found_;
};

OpenAtCapture Lanes::resolve(const Shape &shape) const { return Resolution(*this, shape).run(); }

} // namespace graphprof
