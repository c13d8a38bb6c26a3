// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ReplayComparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace graphprof {

namespace {

constexpr std::size_t compareAfter = 16;      // replays
constexpr std::size_t compareAgainAfter = 64; // once all is known

// Of independent errors. (std::hypot needs a newer C library than the wheel promises.)
double together(double a, double b) { return std::sqrt(a * a + b * b); }

// What is clearly more than nothing. Where slow and fast launches make two values, few windows may
// show mostly the one on one side, and the other on the other: then the interval just ends at 0.
double significant(double ns, double errorNs) { return ns > 1.5 * errorNs ? ns : 0; }
double significant(const Shift &shift) { return significant(shift.ns, shift.ns - shift.lowNs); }

} // namespace

Shift Shift::of(std::span<const std::int64_t> values, std::span<const std::int64_t> others) {
  std::array<std::int64_t, most * most> differences;
  const std::size_t count = values.size() * others.size();
  auto next = differences.begin();
  for (const std::int64_t value : values)
    for (const std::int64_t other : others)
      *next++ = value - other;
  const auto at = [&](std::size_t place) {
    const auto found = differences.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(differences.begin(), found, next);
    return static_cast<double>(*found);
  };
  const auto pairs = static_cast<double>(count),
             all = static_cast<double>(values.size() + others.size());
  const double outside = 0.5 * pairs - 3 * std::sqrt(pairs * (all + 1) / 12);
  const auto low = static_cast<std::size_t>(std::max(0.0, outside));
  return {at(count / 2), at(low), at(count - 1 - low)};
}

double ReplayComparison::Times::meanNs() const {
  const auto kept = values();
  return kept.empty()
             ? 0
             : std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

// With r behind a recorded launch, and s to change execs and back, the windows take 4r, 2r + 2s and
// r + s more than without.
double ReplayComparison::Kind::delayOfAllNs() const {
  const auto &[all, every2nd, ends] = windows;
  if (!all.sufficeAsWindows() || !every2nd.sufficeAsWindows() || !ends.sufficeAsWindows())
    return 0;
  const Shift first = Shift::of(all.values(), ends.values()),
              second = Shift::of(every2nd.values(), ends.values());
  return significant(0.25 * (first.ns + second.ns),
                     0.25 * together(first.ns - first.lowNs, second.ns - second.lowNs));
}

double ReplayComparison::Kind::delayOfFewNs() const {
  const auto &[all, every2nd, ends] = windows;
  if (!every2nd.sufficeAsWindows() || !ends.sufficeAsWindows())
    return 0;
  return significant(Shift::of(every2nd.values(), ends.values()));
}

bool ReplayComparison::Kind::isComplete() const {
  return std::ranges::all_of(windows, &Times::sufficeAsWindows) || spans.count() >= Shift::most;
}

void ReplayComparison::begin(bool comparesBare) {
  const MutexLock lock(mutex_);
  bare_ = {};
  forgetRecorded();
  parts_ = 1;
  comparesBare_ = comparesBare;
  seen_ = {};
}

void ReplayComparison::split(std::uint32_t parts) {
  const MutexLock lock(mutex_);
  forgetRecorded();
  parts_ = parts;
  owed_ = compareAfter; // those that are bare have just been read
}

std::optional<ReplayComparison::Findings> ReplayComparison::news() {
  if (!isNews_.exchange(false, std::memory_order_relaxed))
    return std::nullopt;
  const MutexLock lock(mutex_);
  return findings_;
}

ReplayComparison::Kind *ReplayComparison::kindOf(const Take &take) {
  return take.what == Take::What::Twins  ? nullptr // longer than what is compared
         : take.what == Take::What::Bare ? &bare_
         : take.parts != parts_          ? nullptr
         : take.ends != OwnEnds::None    ? &stampEnds_
                                         : &recorded_;
}

const ReplayComparison::Seen *ReplayComparison::seen(std::uint64_t number,
                                                     std::uint64_t stream) const {
  const Seen &found = seen_[number % seen_.size()];
  return found.isKnown && found.number == number && found.stream == stream ? &found : nullptr;
}

void ReplayComparison::forgetRecorded() {
  recorded_ = {};
  stampEnds_ = {};
  findings_ = {};
  owed_ = unread_ = 0;
  isNews_ = false;
}

void ReplayComparison::add(const ReadReplay &replay) {
  const MutexLock lock(mutex_);
  if (replay.isCold) {
    seen_ = {};
    return;
  }
  Kind *const own = kindOf(replay.take);
  if (replay.number > 0)
    if (const Seen *const before = seen(replay.number - 1, replay.stream); before && before->kind)
      before->kind->steps.add(replay.beginNs - before->beginNs);
  if (const auto window = own ? windowTo(replay, *own) : std::nullopt)
    own->windows[static_cast<std::size_t>(*window)].add(
        replay.beginNs - seen(replay.number - windowLaunches, replay.stream)->beginNs);
  seen_[replay.number % seen_.size()] = {replay.number, replay.stream, replay.beginNs, own, true};
  // Recorded replays are compared with bare ones of about the same time: the program's own may
  // become longer.
  if (own == &bare_)
    owed_ = std::min(owed_ + 1, Shift::most);
  if (own && (own != &recorded_ || !comparesBare_ || std::exchange(owed_, owed_ - (owed_ > 0)) > 0))
    own->spans.add(replay.endNs - replay.beginNs);
  if (++unread_ < (findings_.isComplete ? compareAgainAfter : compareAfter))
    return;
  unread_ = 0;
  findings_ = compare();
  isNews_.store(true, std::memory_order_relaxed);
}

// Which window ends with `replay`, if that and all that was recorded in it are of that kind.
std::optional<CompareWindow> ReplayComparison::windowTo(const ReadReplay &replay,
                                                        const Kind &kind) const {
  if (replay.number < windowLaunches)
    return std::nullopt;
  const std::uint64_t first = replay.number - windowLaunches;
  const Seen *const begin = seen(first, replay.stream);
  if (!begin || begin->kind != &kind)
    return std::nullopt;
  std::array<bool, windowLaunches> wasRecorded = {true};
  for (std::uint64_t place = 1; place < windowLaunches; ++place) {
    const Seen &between = seen_[(first + place) % seen_.size()];
    wasRecorded[place] = between.isKnown && between.number == first + place;
    if (wasRecorded[place] && (between.kind != &kind || between.stream != replay.stream))
      return std::nullopt;
  }
  for (const CompareWindow window :
       {CompareWindow::All, CompareWindow::Every2nd, CompareWindow::Ends}) {
    bool isThis = true;
    for (std::uint64_t place = 0; place < windowLaunches; ++place)
      isThis = isThis && wasRecorded[place] == isRecorded(window, place);
    if (isThis)
      return window;
  }
  return std::nullopt;
}

ReplayComparison::Findings ReplayComparison::compare() const {
  Findings found;
  found.knowsRecorded = recorded_.spans.suffice();
  found.knowsBare = bare_.spans.suffice();
  found.knowsEnds = stampEnds_.spans.suffice() && found.knowsRecorded;
  found.isComplete = recorded_.isComplete() && (!comparesBare_ || bare_.isComplete());
  found.recordedNs = recorded_.spans.meanNs();
  found.bareNs = bare_.spans.meanNs();
  if (found.knowsRecorded && found.knowsBare)
    found.regions = Shift::of(recorded_.spans.values(), bare_.spans.values());
  found.delayOfAllNs = recorded_.delayOfAllNs();
  found.delayOfFewNs = recorded_.delayOfFewNs();
  found.delayOfBareNs = bare_.delayOfAllNs();
  if (found.knowsEnds)
    found.endsNs = significant(Shift::of(stampEnds_.spans.values(), recorded_.spans.values()));
  if (stampEnds_.steps.suffice() && recorded_.steps.suffice())
    found.endsNs = std::max(
        found.endsNs, significant(Shift::of(stampEnds_.steps.values(), recorded_.steps.values())));
  return found;
}

} // namespace graphprof
