// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/CaptureExtents.h"

#include <algorithm>
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
  hidesStreams_ = facts.oneStream && hasBranches();
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
  extent.knowsNodes = added.holds == Holds::All && !isEdited_;
  extent.first = added.first != Added::unknown ? added.first : countBehind(begin);
  extent.last = extents_.captured.size();
  if (extent.ends()) {
    const Nodes end = extents_.frontiers[region.end];
    extent.last = added.last != Added::unknown ? added.last : countBehind(end);
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

void CaptureExtents::lose(Extent &extent, std::string_view why) {
  extent.end = Region::unfinished;
  loss_ = why;
}

} // namespace graphprof
