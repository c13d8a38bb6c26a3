// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/RecordingPlan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace graphprof {

namespace {

constexpr std::uint32_t mostParts = 16; // each takes memory for an exec
constexpr std::size_t cycles = 8;       // of what is compared
constexpr std::size_t waits = 512;      // launches until it is compared again, if nothing was read
constexpr std::size_t compareAgainAfter = 32; // recorded launches
constexpr std::uint64_t endsAtFirst = 6;      // of each half of a part; the first one is cold
constexpr std::uint64_t endsOften = 2;        // turns for one that stamps ends, at first
constexpr std::uint64_t endsLater = 8;        // and then
constexpr std::uint64_t endsSeenAgain = 256;  // turns until others are to tell what they cost
constexpr std::array<std::uint64_t, 3> gapsToCompare = {0, 1, 3};
constexpr double mostEvery = 1U << 30;

// Launches to compare: recorded ones with none, one and three between them that are not.
constexpr Take whole = {}, bare = {Take::What::Bare}, nothing = {Take::What::Nothing};
constexpr std::array compared = {whole, whole, nothing, whole, nothing, nothing, nothing, whole,
                                 bare,  bare,  nothing, bare,  nothing, nothing, nothing, bare};
constexpr std::size_t comparedOfWhole = 8; // if there are no parts

} // namespace

double RecordingPlan::Times::quartileNs(std::size_t number) const {
  auto sorted = kept_;
  const std::size_t count = std::min(count_, sorted.size());
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(count * number / 4);
  std::nth_element(sorted.begin(), place, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<double>(*place);
}

// As for normally distributed times.
double RecordingPlan::Times::errorNs() const {
  const auto count = static_cast<double>(std::min(count_, kept_.size()));
  return 1.25 * (quartileNs(3) - quartileNs(1)) / 1.35 / std::sqrt(count);
}

namespace {

// Of independent errors. (std::hypot needs a newer C library than the wheel promises.)
double together(double a, double b, double c) { return std::sqrt(a * a + b * b + c * c); }

// What is clearly more than nothing.
double significant(double ns, double errorNs) { return ns > 2 * errorNs ? ns : 0; }

} // namespace

// Three launches that are not recorded take periods[3], less what is around one of them.
double RecordingPlan::Kind::delayOfAllNs() const {
  const auto &[all, one, unused, three] = periods;
  if (!all.suffice() || !one.suffice() || !three.suffice())
    return 0;
  const double plainNs = 0.5 * (three.medianNs() - one.medianNs());
  return significant(all.medianNs() - plainNs,
                     together(all.errorNs(), 0.5 * three.errorNs(), 0.5 * one.errorNs()));
}

double RecordingPlan::Kind::delayOfFewNs() const {
  const auto &[all, one, unused, three] = periods;
  if (!one.suffice() || !three.suffice())
    return 0;
  return significant(2 * one.medianNs() - three.medianNs(),
                     together(2 * one.errorNs(), three.errorNs(), 0));
}

void RecordingPlan::begin(const ReplayCosts &costs, bool canSplit, bool hasEnds) {
  costs_ = costs;
  hasEnds_ = hasEnds;
  canSplit_ = canSplit;
  generation_ = 0;
  launch_ = 0;
}

void RecordingPlan::keepWhole() {
  if (!std::exchange(canSplit_, false))
    return;
  generation_ = 0; // choose again
}

Take RecordingPlan::next() {
  if (generation_ != budget_.generation())
    readTerms();
  ++launch_;
  switch (state_) {
  case State::Everything:
    return whole;
  case State::Measuring:
    return measure();
  case State::Running:
    return run();
  }
  return whole;
}

// The first pair is the kernels, then the twins, so that a second launch shows something.
bool RecordingPlan::takesTwins() {
  const std::uint64_t turn = wholes_++, pair = turn / 2;
  return (turn % 2 == 1) != (pair > 0 && random(pair, 0) % 2 == 1);
}

void RecordingPlan::readTerms() {
  generation_ = budget_.generation();
  terms_ = budget_.terms();
  taken_ = 0;
  next_ = launch_;
  {
    const MutexLock lock(readMutex_);
    recorded_ = {};
    stampEnds_ = {};
    bare_ = {};
    observedParts_ = 1;
    before_.isCold = true;
  }
  isNews_ = false;
  parts_.clear();
  turns_ = ends_ = 0;
  endsEvery_ = followsPrice() ? 0 : 1;
  every_ = std::max<std::uint64_t>(1, terms_.every);
  if (terms_.recordsEverything()) {
    state_ = State::Everything;
  } else if (terms_.fraction > 0 && (terms_.every == 0 || (terms_.parts == 0 && canSplit_))) {
    state_ = State::Measuring;
  } else {
    state_ = State::Running;
    if (canSplit_ && terms_.parts > 1)
      parts_.resize(terms_.parts);
    shuffle();
    budget_.note(
        {.parts = std::max(1U, static_cast<std::uint32_t>(parts_.size())), .every = every_});
  }
}

Take RecordingPlan::measure() {
  const std::size_t cycle = canSplit_ ? compared.size() : comparedOfWhole;
  if (taken_ < cycles * cycle)
    return compared[taken_++ % cycle];
  if (isNews_.exchange(false, std::memory_order_relaxed))
    choose();
  if (state_ == State::Running)
    return run();
  if (++taken_ == cycles * cycle + waits)
    taken_ = 0;
  return nothing;
}

bool RecordingPlan::measured(Costs &costs) {
  const MutexLock lock(readMutex_);
  if (!recorded_.spans.suffice() || (canSplit_ && !bare_.spans.suffice()))
    return false;
  const double spanNs = recorded_.spans.medianNs();
  const auto replayNs = static_cast<double>(costs_.replayNs);
  if (canSplit_) {
    costs.spanNs = bare_.spans.medianNs();
    costs.bareNs = std::max(replayNs, bare_.delayOfAllNs());
    costs.recordedNs = std::max(costs.bareNs, replayNs + spanNs - costs.spanNs);
  } else { // nothing to compare the span with
    costs.bareNs = replayNs;
    costs.recordedNs = replayNs + static_cast<double>(costs_.regionsNs);
    costs.spanNs = std::max(0.5 * spanNs, spanNs - costs.recordedNs);
  }
  costs.sampledNs = std::max(costs.recordedNs, recorded_.delayOfFewNs());
  costs.recordedNs = std::max(costs.recordedNs, recorded_.delayOfAllNs());
  costs.endsNs = -1;
  if (stampEnds_.spans.suffice()) {
    const Times &behind = stampEnds_.periods[0], &behindOthers = recorded_.periods[0];
    const double laterNs = behind.suffice() && behindOthers.suffice()
                               ? significant(behind.medianNs() - behindOthers.medianNs(),
                                             together(behind.errorNs(), behindOthers.errorNs(), 0))
                               : 0;
    costs.endsNs = std::max({0.0, stampEnds_.spans.medianNs() - spanNs, laterNs});
  }
  return true;
}

void RecordingPlan::choose() {
  Costs costs{};
  if (!measured(costs))
    return;
  const double allowedNs = terms_.fraction * std::max(1.0, costs.spanNs);
  std::uint32_t parts = terms_.parts;
  if (parts == 0 && costs.recordedNs > allowedNs && costs.bareNs < allowedNs) {
    const double needed = std::ceil((costs.recordedNs - costs.bareNs) / (allowedNs - costs.bareNs));
    // Room for replays that stamp ends, as if a part took twice as much there.
    const double withEnds = hasEnds_ ? std::ceil(needed * (endsLater + 1) / endsLater) : needed;
    parts = needed <= mostParts ? std::min(static_cast<std::uint32_t>(withEnds), mostParts) : 1;
  }
  parts = canSplit_ ? std::max(1U, parts) : 1;
  costs.recordedNs = costs.bareNs + (costs.recordedNs - costs.bareNs) / parts;
  costs.endsNs = parts > 1 ? -1 : 0;
  keep(costs, parts);
  parts_.resize(parts > 1 ? parts : 0);
  shuffle();
  taken_ = 0;
  state_ = State::Running;
  if (parts_.empty())
    return;
  const MutexLock lock(readMutex_);
  recorded_ = {};
  stampEnds_ = {};
  observedParts_ = parts;
}

void RecordingPlan::adapt() {
  Costs costs{};
  if (terms_.fraction > 0 && measured(costs))
    keep(costs, std::max<std::size_t>(1, parts_.size()));
}

void RecordingPlan::keep(const Costs &costs, std::size_t parts) {
  const double spanNs = std::max(1.0, costs.spanNs), allowedNs = terms_.fraction * spanNs,
               endsNs = std::max(0.0, costs.endsNs);
  const bool stampsEnds = hasEnds_ && parts > 1;
  const auto compared = static_cast<double>(gapsToCompare.size() + (stampsEnds ? 1 : 0));
  const double withCompared = // besides the turns
      static_cast<double>(compareAgainAfter) / (static_cast<double>(compareAgainAfter) - compared);
  if (terms_.every == 0) {
    const double ofFewNs = costs.sampledNs + (stampsEnds ? endsNs / endsLater : 0);
    const double every = costs.recordedNs <= allowedNs ? 1 : withCompared * ofFewNs / allowedNs;
    every_ = std::bit_ceil(static_cast<std::uint64_t>(std::ceil(std::min(every, mostEvery))));
  }
  const double costNs = every_ == 1 ? costs.recordedNs : costs.sampledNs;
  if (followsPrice() && costs.endsNs >= 0) {
    const double roomNs = allowedNs * static_cast<double>(every_) /
                              (every_ == 1 || terms_.every > 0 ? 1 : withCompared) -
                          costNs;
    const double turns = endsNs <= 0 ? 1 : roomNs <= 0 ? mostEvery : endsNs / roomNs;
    endsEvery_ = std::bit_ceil(static_cast<std::uint64_t>(std::ceil(std::min(turns, mostEvery))));
  }
  const double ofEndsNs =
      stampsEnds && endsEvery_ > 0 ? endsNs / static_cast<double>(turnsForEnds()) : 0;
  budget_.note({.spent = (costNs + ofEndsNs) / static_cast<double>(every_) / spanNs,
                .parts = static_cast<std::uint32_t>(parts),
                .every = every_});
}

// Each run of `every_` launches has one turn. Of a power of two, the turn is one of the turns of
// its two halves, and so on.
std::uint64_t RecordingPlan::turnFrom(std::uint64_t from) const {
  const auto turnOf = [this](std::uint64_t run) {
    if (terms_.every > 0)
      return run * every_ + random(every_, run) % every_;
    for (std::uint64_t size = every_; size > 1; size /= 2)
      run = 2 * run + random(size, run) % 2;
    return run;
  };
  const std::uint64_t turn = turnOf(from / every_);
  return turn >= from ? turn : turnOf(from / every_ + 1);
}

Take RecordingPlan::run() {
  if (launch_ <= next_)
    return nothing;
  const std::size_t turn = ++taken_ % compareAgainAfter;
  if (turn == 0) {
    if (isNews_.exchange(false, std::memory_order_relaxed))
      adapt(); // takes some microseconds: not in each launch
    sawDelayOfEnds_ = false;
  }
  const bool adapts = terms_.fraction > 0 && terms_.every == 0;
  next_ = adapts && turn < gapsToCompare.size() ? launch_ + gapsToCompare[turn] : turnFrom(launch_);
  if (adapts && canSplit_ && turn == compareAgainAfter / 2)
    return bare;
  if (parts_.empty())
    return whole;
  const auto parts = static_cast<std::uint32_t>(parts_.size());
  if (const auto half = endsOfTurn()) {
    if (adapts && !std::exchange(sawDelayOfEnds_, true))
      next_ = launch_;
    return {Take::What::Part, static_cast<std::uint32_t>(*half / 2), parts,
            *half % 2 == 0 ? OwnEnds::FirstHalf : OwnEnds::SecondHalf};
  }
  const std::uint32_t part = parts_[turn_];
  if (++turn_ == parts_.size())
    shuffle();
  return {Take::What::Part, part, parts};
}

std::uint64_t RecordingPlan::turnsForEnds() const {
  const bool isFirst = ends_ < endsAtFirst * 2 * parts_.size();
  return std::max(isFirst ? endsOften : endsLater, endsEvery_);
}

// As long as it is not known what they cost: all of one half, since the first is cold. If the half
// has no kernel whose end can be stamped, the next one will tell.
std::optional<std::uint64_t> RecordingPlan::endsOfTurn() {
  if (!hasEnds_)
    return std::nullopt;
  const std::uint64_t turn = turns_++, halves = std::uint64_t{2} * parts_.size();
  if (endsEvery_ == 0)
    return turn % endsLater == 1 && turn % endsSeenAgain < endsAtFirst * endsLater
               ? std::optional(turn / endsSeenAgain % halves)
               : std::nullopt;
  return turn % turnsForEnds() == 1 ? std::optional(ends_++ % halves) : std::nullopt;
}

// A part comes once in each round. So each is recorded as often as the others.
void RecordingPlan::shuffle() {
  turn_ = 0;
  ++round_;
  std::iota(parts_.begin(), parts_.end(), 0U);
  for (std::size_t i = parts_.size(); i > 1; --i)
    std::swap(parts_[i - 1], parts_[random(round_, i) % i]);
}

// SplitMix64's finalizer: good enough to meet no period.
std::uint64_t RecordingPlan::random(std::uint64_t a, std::uint64_t b) const {
  std::uint64_t bits = seed_ + 0x9E3779B97F4A7C15U * (a + 1) + 0xD1B54A32D192ED03U * (b + 1);
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

void RecordingPlan::observe(const ReadReplay &replay) {
  const MutexLock lock(readMutex_);
  const auto kindOf = [this](const Take &take) REQUIRES(readMutex_) {
    return take.what == Take::What::Twins  ? nullptr // longer than what is compared
           : take.what == Take::What::Bare ? &bare_
           : take.parts != observedParts_  ? nullptr
           : take.ends != OwnEnds::None    ? &stampEnds_
                                           : &recorded_;
  };
  Kind *const before =
      before_.isCold || before_.stream != replay.stream ? nullptr : kindOf(before_.take);
  if (before && !replay.isCold) {
    const std::uint64_t between = replay.number - before_.number - 1;
    if (between < before->periods.size())
      before->periods[between].add(replay.beginNs - before_.beginNs);
  }
  before_ = replay;
  if (replay.isCold)
    return;
  if (Kind *const own = kindOf(replay.take))
    own->spans.add(replay.endNs - replay.beginNs);
  isNews_.store(true, std::memory_order_relaxed);
}

} // namespace graphprof
