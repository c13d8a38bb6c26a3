// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/StreamOrder.h"

#include <algorithm>

#include "Thrown.h"

namespace graphprof {

namespace {

// The moves with which all of the order holds; `least` above `most`: there is none.
struct Moves {
  std::int64_t least = INT64_MIN, most = INT64_MAX;

  void atLeast(std::int64_t ns) {
    if (ns <= StreamOrder::mostNs)
      least = std::max(least, ns);
  }
  void atMost(std::int64_t ns) {
    if (ns >= -StreamOrder::mostNs)
      most = std::min(most, ns);
  }
};

bool encloses(const StreamOrder::Work &outer, const StreamOrder::Work &inner) {
  return outer.fromNs <= inner.fromNs && inner.untilNs <= outer.untilNs &&
         (outer.fromNs < inner.fromNs || inner.untilNs < outer.untilNs);
}

} // namespace

StreamOrder::Move StreamOrder::place(int device, std::uint64_t stream, Work work) noexcept {
  Move move{0, 0};
  (void)survived([&] { move = tryToPlace(device, stream, work); });
  return move;
}

StreamOrder::Move StreamOrder::tryToPlace(int device, std::uint64_t stream, Work work) {
  if (placed_.size() >= mostStreams && !placed_.contains({device, stream}))
    placed_.clear();
  std::deque<Work> &others = placed_[{device, stream}];
  Moves moves;
  for (const Work &other : others) {
    if (encloses(other, work)) {
      moves.atLeast(other.beginNs - work.beginNs);
      moves.atMost(other.endNs - work.endNs);
    } else if (encloses(work, other)) {
      moves.atMost(other.beginNs - work.beginNs);
      moves.atLeast(other.endNs - work.endNs);
    } else if (other.untilNs < work.fromNs) {
      moves.atLeast(other.endNs - work.beginNs);
    } else if (work.untilNs < other.fromNs) {
      moves.atMost(other.beginNs - work.endNs);
    }
  }
  // If there is too little room, it is behind what came before.
  Move move{std::max(std::min<std::int64_t>(moves.most, 0), moves.least), 0};
  if (move.laterNs > moves.most)
    move.shorterNs =
        std::min({move.laterNs - moves.most, work.roundedNs, work.endNs - work.beginNs});
  work.beginNs += move.laterNs;
  work.endNs += move.laterNs - move.shorterNs;
  if (others.size() == mostOfStream)
    others.pop_front();
  others.push_back(work);
  return move;
}

} // namespace graphprof
