// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ExecTiming.h"

namespace graphprof {

internal::Launch ExecTiming::launch(const LaunchCall &call) {
  context_.order.begin(call);
  return context_.order.launchPlain(call, false, context_.device);
}

void ExecTiming::launchedPlain(driver::Stream stream) {
  context_.order.launchedPlain(stream, context_.device);
}

bool ExecTiming::update(const std::shared_ptr<Registry> &, bool) { return false; }

internal::ChildChange ExecTiming::setChild(driver::Node, driver::Graph,
                                           const std::shared_ptr<Registry> &) {
  return internal::ChildChange::Followed;
}

std::shared_ptr<const TimedGraph> timedLike(const RegionTable &table, const Registry *registry) {
  auto timed = registry ? registry->usable() : nullptr;
  const bool isLike =
      timed && timed->table->boundaries == table.boundaries && timed->table->clock == table.clock;
  return isLike ? std::move(timed) : nullptr;
}

} // namespace graphprof
