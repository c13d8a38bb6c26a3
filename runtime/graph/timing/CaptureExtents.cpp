// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/CaptureExtents.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/timing/Span.h"

namespace graphprof {

namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

} // namespace

CaptureExtents::CaptureExtents(const Shape &shape, const CaptureFacts &facts, const Nodes &marks,
                               Extents &extents)
    : shape_(shape), extents_(extents), isMarked_(!marks.empty()), isEdited_(facts.isEdited),
      numbers_(shape.created().size(), 0) {
  Nodes &captured = extents.captured;
  captured = facts.nodes.empty() ? shape.created() : facts.nodes;
  places_.assign(captured.size(), nowhere);
  for (std::size_t number = 0; number < captured.size(); ++number)
    if (captured[number] && shape.has(captured[number])) {
      places_[number] = shape.createdAt(captured[number]);
      numbers_[places_[number]] = number;
    }
  for (const driver::Node mark : marks)
    if (shape.has(mark)) {
      const std::size_t number = numbers_[shape.createdAt(mark)];
      captured[number] = nullptr;
      places_[number] = nowhere;
    }
  const bool branches = hasBranches();
  hidesStreams_ = facts.oneStream && branches;
  isUncounted_ = facts.isRecapture && branches;
}

bool CaptureExtents::hasBranches() const {
  std::size_t roots = 0;
  for (const std::size_t place : places_) {
    if (place == nowhere)
      continue;
    roots += shape_.placesBefore(place).empty() ? 1 : 0;
    if (roots > 1 || shape_.placesAfter(place).size() > 1)
      return true;
  }
  return false;
}

std::size_t CaptureExtents::countBehind(const Nodes &behind) const {
  std::size_t count = 0;
  for (const driver::Node node : behind)
    count = std::max(count, numbers_[shape_.createdAt(node)] + 1);
  return count;
}

bool CaptureExtents::isInOrder(const Nodes &behind, std::size_t count) const {
  return std::ranges::all_of(behind, [&](driver::Node node) {
    return !shape_.has(node) || numbers_[shape_.createdAt(node)] < count;
  });
}

std::vector<std::size_t> CaptureExtents::placesOf(const Extent &extent) const {
  std::vector<std::size_t> places;
  for (std::size_t number = extent.first; number < std::min(extent.last, places_.size()); ++number)
    if (places_[number] != nowhere)
      places.push_back(places_[number]);
  return places;
}

void CaptureExtents::add(const Region &region, const Added &added) {
  Extent extent{.begins = {region.begin}, .end = region.end, .depth = region.depth};
  const Nodes &begin = extents_.frontiers[region.begin];
  extent.knowsNodes = added.holds != Holds::ItsStream && !isEdited_;
  extent.first = added.first != Added::unknown ? added.first : countBehind(begin);
  extent.last = extents_.captured.size();
  if (isEdited_)
    extent.first = 0;
  if (extent.ends()) {
    const Nodes end = extents_.frontiers[region.end];
    if (!isEdited_)
      extent.last = added.last != Added::unknown ? added.last : countBehind(end);
    if (isEdited_ && added.holds == Holds::OfThread)
      lose(extent, "regions have no time: nodes were removed from a graph while several threads "
                   "captured into it; name the stream of their work (stream = ...)");
    else if (!isEdited_ && !(isInOrder(begin, extent.first) && isInOrder(end, extent.last)))
      lose(extent, "regions have no time: this driver does not list nodes in the order in which "
                   "they were captured, so it is not known what they contain");
    else if (isUncounted_ && extent.knowsNodes)
      lose(extent, "regions have no time: where several streams are captured into a graph once "
                   "more, only a region of one stream tells what it contains; name the stream of "
                   "its work (stream = ...)");
    else
      decide(extent, Nodes(begin), end);
  }
  extents_.regions.push_back(std::move(extent));
}

void CaptureExtents::decide(Extent &extent, const Nodes &begin, const Nodes &end) {
  const bool isStill = begin == end;
  const std::vector<std::size_t> places = placesOf(extent);
  if (isEdited_) {
    extent.isEmpty = isStill;
  } else if (places.empty()) {
    extent.isEmpty = !isStill || !hidesStreams_;
    if (!extent.isEmpty)
      lose(extent, "regions have no time: streams fork in code that is not instrumented, so it is "
                   "not known what they contain; instrument that code");
  } else if (!extent.knowsNodes) {
    if (isStill)
      lose(extent, "regions have no time: what they contain is in other streams than the one that "
                   "they are of; name the stream of their work (stream = ...)");
  } else if (!isMarked_) {
    extents_.place(extent, spanOf(shape_, places));
  } else if (const Span span = spanOf(shape_, places);
             !isBehind(shape_, end, span.end) ||
             !std::ranges::all_of(span.begins,
                                  [&](const Nodes &at) { return isBehind(shape_, at, begin); })) {
    lose(extent, "regions have no time: what they contain is in several streams of a graph with "
                 "memory or conditional nodes; annotate the work of each stream");
  }
}

namespace {

// Places of nodes, from `first` up to `last`.
struct Stretch {
  std::size_t first, last;
};
// Ordered, without overlap.
using Stretches = std::vector<Stretch>;

Stretches merged(Stretches all) {
  std::ranges::sort(all, {}, &Stretch::first);
  Stretches result;
  for (const Stretch &next : all)
    if (result.empty() || result.back().last <= next.first)
      result.push_back(next);
    else
      result.back().last = std::max(result.back().last, next.last);
  return result;
}

bool overlaps(const Stretches &ordered, const Extent &extent) {
  const auto next = std::ranges::upper_bound(ordered, extent.first, {}, &Stretch::last);
  return next != ordered.end() && next->first < extent.last;
}

} // namespace

void CaptureExtents::keepApart(const std::vector<Added> &added) {
  std::map<std::thread::id, Stretches> joined; // of threads that joined
  std::map<std::thread::id, std::vector<std::size_t>> edges;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const Extent &extent = extents_.regions[i];
    if (extent.first >= extent.last)
      continue;
    if (added[i].holds == Holds::OfThread)
      joined[added[i].thread].push_back({extent.first, extent.last});
    else
      edges[added[i].thread].insert(edges[added[i].thread].end(), {extent.first, extent.last});
  }
  for (auto &[thread, stretches] : joined)
    stretches = merged(std::move(stretches));
  for (auto &[thread, places] : edges)
    std::ranges::sort(places);

  for (std::size_t i = 0; i < added.size(); ++i) {
    Extent &extent = extents_.regions[i];
    if (added[i].holds != Holds::OfThread || !extent.knowsNodes || !extent.ends())
      continue;
    const auto isOthers = [&](const auto &of) { return of.first != added[i].thread; };
    const auto addsToo = [&](const auto &of) {
      return isOthers(of) && overlaps(of.second, extent);
    };
    const auto beginsOrEndsIn = [&](const auto &of) {
      const auto next = std::ranges::upper_bound(of.second, extent.first);
      return isOthers(of) && next != of.second.end() && *next < extent.last;
    };
    if (std::ranges::any_of(joined, addsToo) || std::ranges::any_of(edges, beginsOrEndsIn))
      lose(extent, "regions have no time: several threads added to the capture in ranges of their "
                   "own at once, so it is not known what each contains; name the stream of their "
                   "work (stream = ...)");
  }
}

void CaptureExtents::lose(Extent &extent, std::string_view why) {
  extent.end = Region::unfinished;
  loss_ = why;
}

} // namespace graphprof
