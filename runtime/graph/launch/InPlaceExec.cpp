// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/InPlaceExec.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "services/Services.h"

namespace graphprof {

using internal::ChildChange;
using internal::Launch;

Expected<std::unique_ptr<ExecTiming>> InPlaceExec::make(ExecContext &context,
                                                        const std::shared_ptr<Registry> &registry) {
  auto made = std::make_unique<InPlaceExec>(context, registry);
  context.plan.begin(costsOf(*registry->table()), false);
  if (!made->writeTo(registry))
    return Failure{
        "another exec writes its times to the same place; make one exec of each such graph"};
  return std::unique_ptr<ExecTiming>(std::move(made));
}

InPlaceExec::InPlaceExec(ExecContext &context, std::shared_ptr<Registry> registry)
    : ExecTiming(context), registry_(std::move(registry)) {
  timed_.exec = context.plain;
}

InPlaceExec::~InPlaceExec() { leaveBuffer(); }

void InPlaceExec::leaveBuffer() noexcept {
  if (!buffer_)
    return;
  if (!context().deferBufferReuse(timed_))
    buffer_->abandon();
  buffer_->release();
}

bool InPlaceExec::writeTo(const std::shared_ptr<Registry> &registry) {
  const auto timed = registry->timed();
  if (writer_ != registry) {
    auto buffer = timed->inPlace();
    if (!buffer->claim())
      return false;
    leaveBuffer();
    writer_ = registry;
    buffer_ = std::move(buffer);
  }
  timed_.table = timed->table;
  timed_.buffer = std::shared_ptr<ReplayBuffer>(buffer_, buffer_->get());
  timed_.buffer->attach(registry_->timed()->clockNodes());
  return true;
}

// The program's update pointed its exec at the other graph's buffer.
bool InPlaceExec::update(const std::shared_ptr<Registry> &registry, bool) {
  const auto timed = timedLike(*timed_.table, registry.get());
  if (!timed || !timed->inPlace())
    return false;
  registry->used();
  return writeTo(registry);
}

Launch InPlaceExec::launch(const LaunchCall &call) {
  Services &services = context().services;
  if (buffer_->isAbandoned()) {
    isOver_ = true;
    services.lose(&Counters::notMirrored, 1,
                  "an exec runs unprofiled from now on: another exec writes its times to the same "
                  "place; make one exec of each such graph");
    return Launch::Plain;
  }
  // A launch sets the events of nodes of the graph that the exec was made from.
  if (timed_.table->clock->kind() == Clock::Event && registry_->life().isDestroyed()) {
    if (call.recording)
      services.lose(&Counters::notLaunched, 1,
                    "launches of an exec are not timed: with events, a graph with memory or "
                    "conditional nodes must live as long as its exec; destroy the exec first, or "
                    "use the stamp clock");
    return Launch::Plain;
  }
  bool recording = call.recording;
  const Take take = recording ? context().plan.next(call.number) : Take{};
  if (take.what == Take::What::Nothing) {
    recording = false;
    ++services.counters.notSampled;
  }
  const std::int64_t launchNs = context().launches.note();
  if (!timed_.buffer->arm(context().plain, recording) || !launchExec(context().plain, call)) {
    if (recording)
      ++services.counters.notLaunched;
    return Launch::PlainThenMark; // the program repeats the launch and gets the error
  }
  timed_.isUnread = !recording;
  if (recording)
    context().launched(timed_, call, launchNs, take.isSample);
  else
    timed_.buffer->launched();
  return Launch::Done;
}

void InPlaceExec::launchedPlain(driver::Stream) {
  timed_.buffer->skip(timed_.buffer->launched());
  timed_.isUnread = true;
}

std::optional<TimedChild> InPlaceExec::childAt(driver::Node node) const {
  const auto all = registry_->timed()->timedChildren;
  if (!all)
    return std::nullopt;
  const auto made = std::ranges::find(*all, node, &TimedChild::holder);
  if (made == all->end())
    return std::nullopt;
  if (writer_ == registry_)
    return *made;
  const auto index = static_cast<std::size_t>(made - all->begin());
  const auto now = writer_->timed()->timedChildren;
  if (!now || index >= now->size() || (*now)[index].range.count != made->range.count ||
      (*now)[index].bodies != made->bodies)
    return std::nullopt;
  return (*now)[index];
}

void InPlaceExec::bindChild(driver::Node node, std::span<const driver::Node> timing) {
  const auto child = childAt(node);
  if (!child || timing.size() != child->range.count)
    return;
  const driver::RelaxedCapture relaxed;
  const driver::CurrentContext current(context().device->context());
  // If this fails, the stamps are not bound and read no time.
  placeOf(*child, *timed_.table, timed_.buffer.get())
      .buffer->bindStamps(timing, child->range.first, {});
}

ChildChange InPlaceExec::setChild(driver::Node node, driver::Graph,
                                  const std::shared_ptr<Registry> &registry) {
  const auto child = childAt(node);
  if (registry && child)
    registry->used();
  const bool isFollowed =
      child ? exchangeIn(timed_.table, *child, registry.get(), context().device) : !registry;
  return isFollowed ? ChildChange::Followed : ChildChange::ChildUntimed;
}

bool InPlaceExec::abandon() noexcept {
  const bool had = !buffer_->isAbandoned();
  buffer_->abandon(); // the next launch notices
  return had;
}

} // namespace graphprof
