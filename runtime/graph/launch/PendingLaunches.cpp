// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/PendingLaunches.h"

#include <algorithm>
#include <utility>

namespace graphprof {

// Launches that the harvest is reading keep their place, so there may be one more than `most`.
bool PendingLaunches::push(PendingLaunch note, const std::shared_ptr<const TimingContext> &source,
                           std::size_t most) {
  const auto lock = notes_.lock();
  auto &waiting = notes_.waiting();
  const bool replaces = !notes_.hasRoomFor(1, most) && !waiting.empty() && waiting.back().recorded;
  if (replaces)
    pushed_->buffer->skip(waiting.back().sequence);
  if (source != pushed_)
    note.source = source;
  else if (replaces)
    note.source = std::move(waiting.back().source);
  if (replaces)
    waiting.back() = std::move(note);
  else
    waiting.add() = std::move(note);
  if (source != pushed_)
    pushed_ = source;
  return !replaces;
}

bool PendingLaunches::any() { return size() > 0; }

std::size_t PendingLaunches::size() {
  const auto lock = notes_.lock();
  return notes_.size();
}

std::size_t PendingLaunches::recorded() {
  const auto lock = notes_.lock();
  return countRecorded();
}

std::size_t PendingLaunches::countRecorded() const {
  std::size_t count = 0;
  for (const auto &notes : notes_.out())
    count += static_cast<std::size_t>(std::count_if(
        notes.begin(), notes.end(), [](const PendingLaunch &note) { return note.recorded; }));
  return count;
}

std::optional<PendingLaunches::Oldest> PendingLaunches::oldest() {
  const auto lock = notes_.lock();
  for (const auto &notes : notes_.out()) {
    const auto first = std::find_if(notes.begin(), notes.end(),
                                    [](const PendingLaunch &note) { return note.recorded; });
    if (first != notes.end())
      return Oldest{first->stream, first->launchNs};
  }
  return std::nullopt;
}

std::optional<PendingLaunches::First> PendingLaunches::first() {
  const auto lock = notes_.lock();
  std::shared_ptr<const TimingContext> source = harvested_;
  for (const auto &notes : notes_.out())
    for (const PendingLaunch &note : notes) {
      if (note.source)
        source = note.source;
      if (!note.recorded)
        continue;
      First found{note, countRecorded() - 1};
      found.note.source = std::move(source);
      return found;
    }
  return std::nullopt;
}

bool PendingLaunches::before(std::int64_t hostNs) {
  const std::optional<Oldest> first = oldest();
  return first && first->launchNs < hostNs;
}

// Launches run in order: if the newest has finished, all have.
bool PendingLaunches::areFinished() {
  std::shared_ptr<const TimingContext> newest;
  {
    const auto lock = notes_.lock();
    if (notes_.size() > 0)
      newest = pushed_;
  }
  return !newest || newest->buffer->finished();
}

std::size_t PendingLaunches::abandon() {
  const auto lock = notes_.lock();
  const std::size_t recorded = countRecorded();
  notes_.clear();
  pushed_.reset();
  harvested_.reset();
  return recorded;
}

} // namespace graphprof
