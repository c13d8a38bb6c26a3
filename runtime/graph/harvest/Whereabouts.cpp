// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/harvest/Whereabouts.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace graphprof {

namespace {

constexpr std::size_t mostNext = 3;
constexpr std::size_t none = SIZE_MAX;

enum class State : std::uint8_t { NotTold, Waits, Open, Ended };

class Finder {
public:
  explicit Finder(const ReplayInFlight &replay)
      : replay_(replay), table_(*replay.table), states_(table_.regions.size(), State::NotTold),
        parents_(table_.regions.size(), none) {
    hasNodes_ = std::ranges::any_of(
        table_.regions, [](const Region &region) { return region.kind != Kind::Region; });
    std::vector<std::size_t> around;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Region &region = table_.regions[i];
      states_[i] = stateOf(region);
      while (!around.empty() && table_.regions[around.back()].depth >= region.depth)
        around.pop_back();
      parents_[i] = around.empty() ? none : around.back();
      around.push_back(i);
      if (states_[i] == State::NotTold || !counts(region))
        continue;
      forMoments(region, [&](const Moment &moment) {
        for (const std::uint32_t boundary : moment)
          behind_[boundary].push_back(i);
      });
    }
  }

  [[nodiscard]] Whereabouts found() {
    Whereabouts all;
    all.countsNodes = hasNodes_;
    std::vector<bool> holdsOpen(states_.size());
    for (std::size_t i = states_.size(); i-- > 0;)
      if (parents_[i] != none && (states_[i] == State::Open || holdsOpen[i]))
        holdsOpen[parents_[i]] = true;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Region &region = table_.regions[i];
      if (states_[i] == State::Open && !holdsOpen[i])
        all.open.push_back(openAt(i));
      if (states_[i] == State::NotTold || !counts(region))
        continue;
      ++all.stamped;
      if (states_[i] != State::Ended)
        continue;
      ++all.ended;
      if (const std::int64_t endNs = endOf(region); !all.last || endNs >= all.lastEndNs) {
        all.last = named(i);
        all.lastEndNs = endNs;
      }
    }
    return all;
  }

private:
  // Whether it is a node, or a region if there are no nodes.
  [[nodiscard]] bool counts(const Region &region) const {
    return (region.kind != Kind::Region) == hasNodes_;
  }
  [[nodiscard]] bool isStamped(std::uint32_t boundary) const {
    return boundary < replay_.times.size() && replay_.times[boundary] != ReplayBuffer::unreached;
  }
  // When the latest of them was stamped; nullopt if one was not.
  [[nodiscard]] std::optional<std::int64_t> stampOf(std::span<const std::uint32_t> moment) const {
    std::optional<std::int64_t> latest;
    for (const std::uint32_t boundary : moment) {
      if (!isStamped(boundary))
        return std::nullopt;
      latest = std::max(latest.value_or(INT64_MIN), replay_.times[boundary]);
    }
    return latest;
  }
  template <class Use> static void forMoments(const Region &region, Use use) {
    Moment first = {region.begin};
    first.insert(first.end(), region.alsoBehind.begin(), region.alsoBehind.end());
    use(first);
    for (const Moment &other : region.orBehind)
      use(other);
  }
  [[nodiscard]] static Moment endMoment(const Region &region) {
    Moment end = {region.end};
    end.insert(end.end(), region.alsoEnds.begin(), region.alsoEnds.end());
    return end;
  }
  // When it could begin.
  [[nodiscard]] std::optional<std::int64_t> beginOf(const Region &region) const {
    std::optional<std::int64_t> earliest;
    forMoments(region, [&](const Moment &moment) {
      if (const auto stamp = stampOf(moment))
        earliest = std::min(earliest.value_or(INT64_MAX), *stamp);
    });
    return earliest;
  }
  [[nodiscard]] std::int64_t endOf(const Region &region) const {
    return stampOf(endMoment(region)).value_or(INT64_MIN);
  }
  [[nodiscard]] State stateOf(const Region &region) const {
    if (region.isElsewhere || region.isEmpty || region.end == Region::unfinished)
      return State::NotTold;
    if (stampOf(endMoment(region)))
      return State::Ended;
    return beginOf(region) ? State::Open : State::Waits;
  }
  // Whether a stamp that waited for the begin of its first work is there.
  [[nodiscard]] bool hasBegun(const Region &region) const {
    bool begun = false;
    forMoments(region, [&](const Moment &moment) {
      const std::uint32_t boundary = moment.front();
      const bool isOwn = region.kind == Kind::Region || boundary >= table_.kernels.size() ||
                         table_.kernels[boundary] == region.node;
      begun |= moment.size() == 1 && isOwn && isStamped(boundary) && table_.readsBegin(boundary);
    });
    return begun;
  }

  [[nodiscard]] NamedWork named(std::size_t index) const {
    NamedWork work{table_.regions[index].kind, table_.regions[index].name, {}};
    for (std::size_t around = parents_[index]; around != none; around = parents_[around])
      if (table_.regions[around].kind == Kind::Region)
        work.within.insert(work.within.begin(), table_.regions[around].name);
    return work;
  }
  [[nodiscard]] OpenWork openAt(std::size_t index) const {
    const Region &region = table_.regions[index];
    OpenWork work{{named(index)}, hasBegun(region), beginOf(region).value_or(0), 0, {}};
    // Breadth first, along boundaries: what begins behind the end of one that was found.
    std::vector<bool> seen(states_.size());
    seen[index] = true;
    std::vector<std::size_t> found = {index};
    std::size_t direct = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
      for (const std::uint32_t boundary : endMoment(table_.regions[found[at]])) {
        const auto behind = behind_.find(boundary);
        if (behind == behind_.end())
          continue;
        for (const std::size_t next : behind->second)
          if (!seen[next]) {
            seen[next] = true;
            found.push_back(next);
          }
      }
      if (at == 0)
        direct = found.size() - 1;
    }
    work.behind = found.size() - 1;
    for (std::size_t i = 1; i <= std::min(direct, mostNext); ++i)
      work.next.push_back(named(found[i]));
    return work;
  }

  const ReplayInFlight &replay_;
  const RegionTable &table_;
  bool hasNodes_ = false;
  std::vector<State> states_; // by region, as parents_
  std::vector<std::size_t> parents_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> behind_; // regions, by boundary
};

} // namespace

Whereabouts whereaboutsOf(const ReplayInFlight &replay) { return Finder(replay).found(); }

} // namespace graphprof
