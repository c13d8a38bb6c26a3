// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EventClock.h"

#include <algorithm>

#include "clock/ExclusiveCapture.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// How many events one exec may hold, unless that is not enough for as many replays as programs
// commonly have in flight. Banks are made when they are needed.
constexpr std::size_t maxEvents = std::size_t{16} * 1024;
constexpr std::size_t smallestBanks = 16;
constexpr std::size_t largestBanks = 256;

} // namespace

driver::Node EventClock::captureRoot(driver::Stream stream, const CaptureDependencies &now) {
  return captureBoundary(stream, now, nullptr);
}

// A launch replaces the placeholder with an event of a bank. The node need not wait for the
// previous boundary: the nodes that it will wait for do so.
driver::Node EventClock::captureBoundary(driver::Stream stream, const CaptureDependencies &now,
                                         driver::Node) {
  Device *device = currentDevice();
  const driver::Event event = device ? device->events().placeholder() : nullptr;
  if (!event)
    return nullptr;
  return captureAlone(stream, now, nullptr, [&] {
    return ok(cu().eventRecordWithFlags(event, stream, driver::eventRecordExternal));
  });
}

driver::Node EventClock::addRoot(Device &device, driver::Graph graph, unsigned threads) {
  return addBoundary(device, graph, {}, threads);
}

driver::Node EventClock::addBoundary(Device &device, driver::Graph graph,
                                     std::span<const driver::Node> frontier, unsigned) {
  const driver::Event event = device.events().placeholder();
  driver::Node node = nullptr;
  return event && ok(cu().graphAddEventRecordNode(&node, graph, frontier.data(), frontier.size(),
                                                  event))
             ? node
             : nullptr;
}

bool EventClock::isTiming(driver::Node node) const {
  driver::NodeType type{};
  return ok(cu().graphNodeGetType(node, &type)) && type == driver::NodeType::EventRecord;
}

// Adds an event behind everything. When it has happened, the replay has finished.
bool EventClock::finish(Device &device, driver::Graph profiled, std::span<const driver::Node>,
                        std::span<const driver::Node> sinks, driver::Node &final) {
  const driver::Event event = device.events().placeholder();
  return event &&
         ok(cu().graphAddEventRecordNode(&final, profiled, sinks.data(), sinks.size(), event));
}

std::shared_ptr<ReplayBuffer> EventClock::makeBuffer(const BufferNeeds &needs) {
  Device *device = currentDevice();
  if (!device)
    return nullptr;
  const std::size_t banks =
      banks_ ? banks_ : std::clamp(maxEvents / needs.boundaries, smallestBanks, largestBanks);
  return std::make_shared<EventBanks>(*device, needs.boundaries, banks);
}

EventBanks::EventBanks(Device &device, std::size_t boundaries, std::size_t maxBanks)
    : device_(device), boundaries_(boundaries), maxBanks_(maxBanks) {}

bool EventBanks::fill(Bank &bank) {
  bank.reserve(boundaries_ + 1);
  while (bank.size() < boundaries_ + 1) { // including the final one
    const driver::Event event = device_.events().take();
    if (!event)
      return false;
    bank.push_back(event);
  }
  return true;
}

// The nodes keep the placeholder until arm() sets them, before a launch.
bool EventBanks::bind(const ClockNodes &) { return fill(spare_); }

void EventBanks::attach(const ClockNodes &nodes) {
  nodes_.assign(nodes.boundaries.begin(), nodes.boundaries.end());
  nodes_.push_back(nodes.final);
  onSpare_ = false;
}

bool EventBanks::arm(driver::Exec exec, bool timed) noexcept {
  if (!timed && onSpare_)
    return true;
  Bank *bank = takeBank(timed);
  const Bank &events = bank ? *bank : spare_;
  onSpare_ = false;
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (!ok(cu().graphExecEventRecordNodeSetEvent(exec, nodes_[k], events[k])))
      return false;
  onSpare_ = !bank;
  return true;
}

EventBanks::Bank *EventBanks::takeBank(bool timed) noexcept {
  const MutexLock lock(mutex_);
  if (armed_ && !launched_)
    free_.push_back(armed_);
  armed_ = nullptr;
  launched_ = false;
  if (timed && !free_.empty()) {
    armed_ = free_.back();
    free_.pop_back();
  } else if (timed && all_.size() < maxBanks_) {
    try {
      armed_ = makeBank();
    } catch (...) { // no memory: this replay is lost
      armed_ = nullptr;
    }
  }
  return armed_;
}

EventBanks::Bank *EventBanks::makeBank() {
  const std::size_t count = all_.size() + 1;
  all_.reserve(count);
  free_.reserve(count);
  outstanding_.reserve(count);
  auto bank = std::make_unique<Bank>();
  if (fill(*bank))
    return all_.emplace_back(std::move(bank)).get();
  device_.events().giveBack(*bank);
  return nullptr;
}

std::uint64_t EventBanks::launched() noexcept {
  const MutexLock lock(mutex_);
  ++sequence_;
  launched_ = true;
  if (armed_)
    outstanding_.push_back({sequence_, armed_, false});
  return sequence_;
}

void EventBanks::skip(std::uint64_t sequence) noexcept {
  const MutexLock lock(mutex_);
  for (Outstanding &launch : outstanding_)
    if (launch.sequence == sequence)
      launch.skipped = true;
}

bool EventBanks::order(driver::Stream stream) {
  const MutexLock lock(mutex_);
  const Bank &newest = armed_ ? *armed_ : spare_;
  return ok(cu().streamWaitEvent(stream, newest.back(), 0));
}

ReplayBuffer::State EventBanks::read(std::uint64_t sequence, std::span<std::int64_t> times,
                                     std::span<Iterations>) {
  const MutexLock lock(mutex_);
  const auto found = std::find_if(outstanding_.begin(), outstanding_.end(),
                                  [&](const Outstanding &o) { return o.sequence == sequence; });
  if (found == outstanding_.end())
    return State::Lost;
  Bank *bank = found->bank;
  const driver::CurrentContext current(device_.context());
  const driver::RelaxedCapture relaxed;
  if (!device_.isAlive())
    return State::Lost;
  if (!relaxed || !ok(cu().eventQuery(bank->back())))
    return State::Pending;

  // The last event may be visible before others, because it takes another channel (H200: one replay
  // in ten thousand).
  std::int64_t rootNs = 0;
  bool placed = device_.alignment().eventToHost((*bank)[0], rootNs);
  if (!placed) {
    if (cu().eventQuery((*bank)[0]) == driver::Result::NotReady)
      return State::Pending;
    placed = device_.alignment().eventToHost((*bank)[0], rootNs); // it may have happened meanwhile
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    float ms = 0;
    // Relative to the root, so that durations stay exact in long runs.
    const driver::Result read = cu().eventElapsedTime(&ms, (*bank)[0], (*bank)[k]);
    if (read == driver::Result::NotReady)
      return State::Pending;
    times[k] = placed && ok(read)
                   ? rootNs + static_cast<std::int64_t>(static_cast<double>(ms) * 1e6)
                   : unreached;
  }
  free_.push_back(bank);
  // Launches of an exec run in order, so all earlier ones have finished, too.
  const auto behind = outstanding_.erase(found);
  outstanding_.erase(std::remove_if(outstanding_.begin(), behind,
                                    [this](const Outstanding &launch) REQUIRES(mutex_) {
                                      if (launch.skipped)
                                        free_.push_back(launch.bank);
                                      return launch.skipped;
                                    }),
                     behind);
  return State::Ready;
}

bool EventBanks::finished() {
  const MutexLock lock(mutex_);
  const Bank &newest = armed_ ? *armed_ : spare_;
  const driver::CurrentContext current(device_.context());
  const driver::RelaxedCapture relaxed;
  if (!device_.isAlive())
    return true;
  return relaxed && cu().eventQuery(newest.back()) != driver::Result::NotReady;
}

void EventBanks::retire() {
  const MutexLock lock(mutex_);
  for (const driver::Event event : spare_)
    device_.events().giveBack(event);
  for (const auto &bank : all_)
    for (const driver::Event event : *bank)
      if (event)
        device_.events().giveBack(event);
  all_.clear();
  free_.clear();
  spare_.clear();
}

} // namespace graphprof
