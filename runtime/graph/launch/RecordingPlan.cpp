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
constexpr std::uint64_t waits = 512;    // launches until it is measured again, if nothing was read
constexpr std::uint64_t turnsForWindow = 32; // of so many, one begins a window
constexpr std::uint64_t endsAtFirst = 6;     // of each half of a part; the first one is cold
constexpr std::uint64_t endsOften = 2;       // turns for one that stamps ends, at first
constexpr std::uint64_t endsLater = 8;       // and then
constexpr std::uint64_t endsToKnow = 8;      // of the same half, until it is known what they cost
constexpr std::uint64_t endsSeenAgain = 256; // turns until others are to tell what they cost
constexpr double mostEvery = 1U << 30;

// While it measures, each frame of launches holds the three windows, in an order and at a place
// that are drawn, and all recorded whole or all bare. Few programs repeat themselves after as many
// launches as a frame has.
constexpr std::uint64_t frameLaunches = 17, framePlaces = 5, framesOfKind = 12;
constexpr std::uint64_t samplesOfMeasured = 4; // of so many launches one has records, if recorded

constexpr Take whole = {}, bare = {.what = Take::What::Bare},
               nothing = {.what = Take::What::Nothing};

} // namespace

enum class RecordingPlan::Draw : std::uint64_t {
  Turn,
  SampleOfMeasured,
  Frame,
  OrderOfWindows,
  BareFrame,
  Window,
  Part,
  Ends,
  HalfOfEnds,
  EndsTrial,
  Twins,
};

void RecordingPlan::begin(const ReplayCosts &costs, bool canSplit, bool hasEnds) {
  costs_ = costs;
  hasEnds_ = hasEnds;
  canSplit_ = canSplit;
  generation_ = 0;
}

void RecordingPlan::keepWhole() {
  if (!std::exchange(canSplit_, false))
    return;
  generation_ = 0; // choose again
}

Take RecordingPlan::next(std::uint64_t launch) {
  launch_ = launch;
  if (generation_ != budget_.generation())
    readTerms(launch);
  isCompared_ = false;
  Take take = whole;
  if (state_ == State::Measuring)
    take = measure(launch);
  else if (state_ == State::Running)
    take = run(launch);
  if (forced_ && forced_->launch == launch && take.what == Take::What::Nothing)
    take = takeOf(launch / every_, forced_->isSample);
  return take;
}

bool RecordingPlan::takesNext() {
  const std::uint64_t launch = launch_ + 1;
  return (forced_ && forced_->launch == launch) || state_ == State::Everything ||
         (state_ == State::Measuring ? drawMeasuring(launch) : drawRunning(launch)).what !=
             Take::What::Nothing;
}

// The first pair is the kernels, then the twins, so that a second launch shows something. Twins are
// longer than what is compared.
bool RecordingPlan::takesTwins() {
  if (isCompared_)
    return false;
  const std::uint64_t turn = wholes_++, pair = turn / 2;
  return (turn % 2 == 1) != (pair > 0 && draw(Draw::Twins, pair) % 2 == 1);
}

void RecordingPlan::readTerms(std::uint64_t launch) {
  generation_ = budget_.generation();
  terms_ = budget_.terms();
  forced_ = Forced{launch, false};
  comparison_.begin(canSplit_);
  partCount_ = 1;
  endsEvery_ = followsPrice() ? 0 : 1;
  every_ = std::max<std::uint64_t>(1, terms_.every);
  if (terms_.recordsEverything()) {
    state_ = State::Everything;
  } else if (terms_.fraction > 0 && (terms_.every == 0 || (terms_.parts == 0 && canSplit_))) {
    state_ = State::Measuring;
  } else {
    state_ = State::Running;
    partCount_ = canSplit_ ? std::max(1U, terms_.parts) : 1;
    budget_.note({.parts = partCount_, .every = every_});
  }
  first_ = launch;
  drawFrom(launch);
}

// Measuring:

Take RecordingPlan::measure(std::uint64_t launch) {
  const std::uint64_t measured = framesOfKind * (canSplit_ ? 2 : 1) * frameLaunches;
  if (launch - first_ < measured)
    return drawMeasuring(launch);
  choose(launch);
  if (state_ == State::Running)
    return run(launch);
  if (launch - first_ >= measured + waits)
    first_ = launch;
  return nothing;
}

Take RecordingPlan::drawMeasuring(std::uint64_t launch) const {
  const std::uint64_t frame = launch / frameLaunches,
                      start = frame * frameLaunches + draw(Draw::Frame, frame) % framePlaces;
  if (launch < start || launch - start > compareWindows * windowLaunches)
    return nothing;
  const std::uint64_t at = (launch - start) / windowLaunches,
                      place = launch - start - at * windowLaunches,
                      order = draw(Draw::OrderOfWindows, frame), first = order % compareWindows,
                      second = (first + 1 + order / compareWindows % 2) % compareWindows;
  const std::array inOrder = {first, second, compareWindows - first - second, std::uint64_t{0}};
  if (!isRecorded(static_cast<CompareWindow>(inOrder[at]), place))
    return nothing;
  if (canSplit_ && (frame + draw(Draw::BareFrame, frame / 2)) % 2 == 1)
    return bare;
  const std::uint64_t run = launch / samplesOfMeasured;
  Take take = whole;
  take.isSample =
      launch % samplesOfMeasured == draw(Draw::SampleOfMeasured, run) % samplesOfMeasured;
  return take;
}

// What is assumed counts as far as what was read does not say otherwise.
std::optional<RecordingPlan::Costs> RecordingPlan::measured(const ReplayComparison::Findings &found,
                                                            std::uint32_t parts) const {
  if (!found.knowsRecorded || (canSplit_ && !found.knowsBare))
    return std::nullopt;
  const auto replayNs = static_cast<double>(costs_.replayNs),
             regionsNs = static_cast<double>(costs_.regionsNs) / parts;
  Costs costs;
  if (canSplit_) {
    costs.spanNs = found.bareNs;
    costs.bareNs = std::max(replayNs, found.delayOfBareNs);
    costs.recordedNs = std::max(
        costs.bareNs, replayNs + std::clamp(regionsNs, found.regions.lowNs, found.regions.highNs));
  } else { // nothing to compare the span with
    costs.bareNs = replayNs;
    costs.recordedNs = replayNs + regionsNs;
    costs.spanNs = std::max(0.5 * found.recordedNs, found.recordedNs - costs.recordedNs);
  }
  costs.sampledNs = std::max(costs.recordedNs, found.delayOfFewNs);
  costs.recordedNs = std::max(costs.recordedNs, found.delayOfAllNs);
  if (found.knowsEnds)
    costs.endsNs = found.endsNs;
  return costs;
}

void RecordingPlan::choose(std::uint64_t launch) {
  const auto found = comparison_.news();
  auto costs = found && found->isComplete ? measured(*found, 1) : std::nullopt;
  if (!costs)
    return;
  const double allowedNs = terms_.fraction * std::max(1.0, costs->spanNs);
  std::uint32_t parts = terms_.parts;
  if (parts == 0 && costs->recordedNs > allowedNs && costs->bareNs < allowedNs) {
    const double needed =
        std::ceil((costs->recordedNs - costs->bareNs) / (allowedNs - costs->bareNs));
    // Room for replays that stamp ends, as if a part took twice as much there.
    const double withEnds = hasEnds_ ? std::ceil(needed * (endsLater + 1) / endsLater) : needed;
    parts = needed <= mostParts ? std::min(static_cast<std::uint32_t>(withEnds), mostParts) : 1;
  }
  partCount_ = canSplit_ ? std::max(1U, parts) : 1;
  costs->recordedNs = costs->bareNs + (costs->recordedNs - costs->bareNs) / partCount_;
  costs->endsNs = partCount_ > 1 ? -1 : 0;
  keep(*costs);
  state_ = State::Running;
  first_ = launch;
  drawFrom(launch);
  if (partCount_ > 1)
    comparison_.split(partCount_);
}

void RecordingPlan::adapt(std::uint64_t launch) {
  const auto found = terms_.fraction > 0 ? comparison_.news() : std::nullopt;
  const auto costs = found ? measured(*found, partCount_) : std::nullopt;
  if (!costs)
    return;
  const std::uint64_t every = every_;
  keep(*costs);
  if (every_ != every)
    drawFrom(launch);
}

void RecordingPlan::keep(const Costs &costs) {
  const double spanNs = std::max(1.0, costs.spanNs), allowedNs = terms_.fraction * spanNs,
               endsNs = std::max(0.0, costs.endsNs);
  const bool stampsEnds = hasEnds_ && partCount_ > 1;
  // A window records one launch that is a turn, and on average 2.3 that are not.
  const double withCompared = // besides the turns
      1 + (2.4 + (stampsEnds ? 1 : 0)) / static_cast<double>(turnsForWindow);
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
  const double ofEndsNs = stampsEnds && endsEvery_ > 0
                              ? endsNs / static_cast<double>(std::max(endsLater, endsEvery_))
                              : 0;
  budget_.note({.spent = (costNs + ofEndsNs) / static_cast<double>(every_) / spanNs,
                .parts = partCount_,
                .every = every_});
}

// Running:

void RecordingPlan::drawFrom(std::uint64_t launch) {
  nextTurn_ = turnFrom(launch, every_);
  window_ = turnFrom(launch, turnsForWindow * every_);
  adaptAt_ = launch + turnsForWindow * every_;
}

// Of a power of two, the turn is one of the turns of its two halves, and so on.
std::uint64_t RecordingPlan::turnOf(std::uint64_t run, std::uint64_t every) const {
  if (!std::has_single_bit(every))
    return run * every + draw(Draw::Turn, every, run) % every;
  for (std::uint64_t size = every; size > 1; size /= 2)
    run = 2 * run + draw(Draw::Turn, size, run) % 2;
  return run;
}

std::uint64_t RecordingPlan::turnFrom(std::uint64_t from, std::uint64_t every) const {
  const std::uint64_t turn = turnOf(from / every, every);
  return turn >= from ? turn : turnOf(from / every + 1, every);
}

bool RecordingPlan::isTurn(std::uint64_t launch) {
  if (launch > nextTurn_)
    nextTurn_ = turnFrom(launch, every_);
  return launch == nextTurn_;
}

std::optional<std::uint64_t> RecordingPlan::placeInWindow(std::uint64_t launch) {
  if (launch > window_ + windowLaunches)
    window_ = turnFrom(launch, turnsForWindow * every_);
  return launch >= window_ ? std::optional(launch - window_) : std::nullopt;
}

Take RecordingPlan::run(std::uint64_t launch) {
  if (launch >= adaptAt_) {
    adaptAt_ = launch + turnsForWindow * every_;
    adapt(launch);
    sawDelayOfEnds_ = false;
  }
  const Take take = drawRunning(launch);
  isCompared_ = adapts() && placeInWindow(launch);
  if (take.ends != OwnEnds::None && every_ > 1 && adapts() && !std::exchange(sawDelayOfEnds_, true))
    forced_ = Forced{launch + 1, false};
  return take;
}

// Where every launch is a turn, bare ones are lost to the records.
Take RecordingPlan::drawRunning(std::uint64_t launch) {
  const std::uint64_t turn = launch / every_;
  const bool isTurn = this->isTurn(launch);
  if (const auto place = adapts() ? placeInWindow(launch) : std::nullopt) {
    const std::uint64_t drawn = draw(Draw::Window, window_);
    if (!isRecorded(static_cast<CompareWindow>(drawn % compareWindows), *place))
      return nothing;
    const bool isBare = canSplit_ && drawn / compareWindows % (every_ == 1 ? 4 : 2) == 0;
    return isBare ? bare : takeOf(turn, isTurn);
  }
  if (!isTurn)
    return nothing;
  if (const auto ends = endsOf(turn))
    return *ends;
  return takeOf(turn, true);
}

Take RecordingPlan::takeOf(std::uint64_t turn, bool isSample) const {
  Take take = whole;
  take.isSample = isSample;
  if (partCount_ > 1 && state_ == State::Running) {
    take.what = Take::What::Part;
    take.part = partOf(turn);
    take.parts = partCount_;
  }
  return take;
}

std::uint32_t RecordingPlan::partOf(std::uint64_t turn) const {
  const std::uint64_t round = turn / partCount_;
  std::array<std::uint32_t, BudgetTerms::mostParts> order;
  std::iota(order.begin(), order.begin() + partCount_, 0U);
  for (std::size_t i = partCount_; i > 1; --i)
    std::swap(order[i - 1], order[draw(Draw::Part, round, i) % i]);
  return order[turn % partCount_];
}

std::uint64_t RecordingPlan::turnsForEnds(std::uint64_t turns) const {
  const bool isFirst = turns < endsAtFirst * 2 * partCount_ * endsOften;
  return std::max(isFirst ? endsOften : endsLater, endsEvery_);
}

// A round stamps the ends of one half of each part, so that all others have each part once, too. As
// long as it is not known what they cost: single turns, and all of one half, since the first is
// cold. If the half has no kernel whose end can be stamped, the next one will tell.
std::optional<Take> RecordingPlan::endsOf(std::uint64_t turn) const {
  if (!hasEnds_ || partCount_ == 1)
    return std::nullopt;
  const std::uint64_t firstTurn = first_ / every_, turns = turn - firstTurn;
  Take take = takeOf(turn, false);
  std::uint64_t half = 0;
  if (endsEvery_ == 0) {
    if (turns % endsSeenAgain >= endsToKnow * endsLater ||
        turns % endsLater != draw(Draw::EndsTrial, turns / endsLater) % endsLater)
      return std::nullopt;
    const std::uint64_t tried = turns / endsSeenAgain % (std::uint64_t{2} * partCount_);
    take.part = static_cast<std::uint32_t>(tried / 2);
    half = tried % 2;
  } else {
    const std::uint64_t round = turn / partCount_, every = turnsForEnds(turns), run = round / every;
    // Not the very first round, so that a program of few launches has records of each part.
    const bool isFirst = run == firstTurn / partCount_ / every;
    if (round % every != (isFirst ? every - 1 : draw(Draw::Ends, run) % every))
      return std::nullopt;
    half = (run + draw(Draw::HalfOfEnds, run / 2)) % 2;
  }
  take.ends = half == 0 ? OwnEnds::FirstHalf : OwnEnds::SecondHalf;
  return take;
}

// SplitMix64's finalizer: good enough to meet no period.
std::uint64_t RecordingPlan::draw(Draw what, std::uint64_t a, std::uint64_t b) const {
  std::uint64_t bits = seed_;
  for (const std::uint64_t value : {static_cast<std::uint64_t>(what), a, b}) {
    bits += 0x9E3779B97F4A7C15U * (value + 1);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    bits ^= bits >> 31;
  }
  return bits;
}

} // namespace graphprof
