// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/DeferredExec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "Thrown.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/launch/ProfiledExec.h"
#include "graph/registry/RebuiltTiming.h"
#include "services/Services.h"

namespace graphprof {

namespace {

// Whether kernels in it may have stamps at their ends besides those at their begins.
bool mayStampEnds(const TimedGraph &timed) {
  const RegionTable &table = *timed.table;
  return (timed.parts && timed.parts->withNodes) ||
         std::ranges::any_of(table.regions, [&](const Region &region) {
           return region.kind == Kind::Kernel && table.readsBegin(region.begin);
         });
}

} // namespace

Expected<std::unique_ptr<ExecTiming>>
DeferredExec::make(ExecContext &context, std::shared_ptr<Registry> registry, bool switched) {
  if (switched)
    return Failure{"nodes of its exec were enabled or disabled, which the driver does not tell; "
                   "instantiate a new exec"};
  context.device->align(); // waits for the device, so not in a launch
  const auto timed = registry->timed();
  auto table = registry->table();
  context.plan.begin(costsOf(*timed->table), timed->parts != nullptr, mayStampEnds(*timed));
  return std::unique_ptr<ExecTiming>(
      std::make_unique<DeferredExec>(context, ExecOrigin(std::move(registry)), table));
}

DeferredExec::DeferredExec(ExecContext &context, ExecOrigin from,
                           std::shared_ptr<const RegionTable> table)
    : ExecTiming(context), from_(std::move(from)), table_(std::move(table)) {}

std::unique_ptr<ExecTiming> DeferredExec::readyFor(Need need) noexcept {
  if (from_.isEdited())
    return nullptr;
  std::unique_ptr<ExecTiming> profiled;
  Failure failure{"no memory"};
  bool hasPlace = true;
  (void)survived([&] {
    auto place = context().limit.take(context().pair.lock(), hostNowNs(), need == Need::Change);
    hasPlace = place.has_value();
    if (!hasPlace)
      return;
    auto made = makeProfiled(std::move(*place));
    if (made)
      profiled = std::move(*made);
    else
      failure = made.failure();
  });
  if (profiled)
    return profiled;
  if (!hasPlace) { // there may be room at the next launch; each is counted
    from_.edited(need == Need::Change);
    return nullptr;
  }
  failed_ = true;
  context().services.lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", failure.why);
  return nullptr;
}

Expected<std::unique_ptr<ExecTiming>> DeferredExec::makeProfiled(ExecLimit::Place place) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed || !context().device->isAlive())
    return Failure{"its device was reset"};
  // The program may launch the exec while another device is current.
  const driver::CurrentContext current(context().device->context());
  // Twins are found by the nodes of the graph from which the exec is made. That graph may be
  // useless, because the program may have freed its memory after an update of its exec. Then makes
  // the exec from the latest graph, without twins.
  const auto latest = from_.sources().latest;
  auto made = ProfiledExec::make(context(), from_, table_, place);
  return made || !latest ? std::move(made)
                         : ProfiledExec::make(context(), ExecOrigin(latest), table_, place);
}

internal::Launch DeferredExec::launch(const LaunchCall &call) {
  if (call.recording)
    ++context().services.counters.crowdedOut;
  return ExecTiming::launch(call);
}

bool DeferredExec::update(const std::shared_ptr<Registry> &registry, bool switched) {
  const auto timed = timedLike(*table_, registry.get());
  if (!timed || !timed->rebuilt() || timed->table->structure != table_->structure)
    return false;
  context().plan.keepWhole();
  from_.updated(registry, switched);
  from_.leave();
  table_ = registry->table();
  return true;
}

} // namespace graphprof
