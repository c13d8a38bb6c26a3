// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pair: gives the child nodes of the profiled exec what the program gives those of its exec.

#include <algorithm>
#include <optional>

#include "cuda/Driver.h"
#include "graph/launch/Pair.h"
#include "graph/registry/Children.h"

namespace graphprof {

using driver::cu;
using driver::ok;

bool Pair::setChild(driver::Node node, driver::Graph child,
                    const std::shared_ptr<Registry> &registry) {
  const MutexLock lock(mutex_);
  if (inPlaceExec())
    return setChildInPlace(node, registry);
  ProfiledExec *const profiled = changing();
  if (!profiled)
    return true;
  profiled->from.isEdited = true;
  const driver::Node twin = profiled->from.registry->twin(node);
  if (!twin)
    return false;
  const auto range = profiled->from.registry->timed()->boundariesIn(twin);
  if (!range)
    return !registry && ok(cu().graphExecChildGraphNodeSetParams(whole_.exec, twin, child));
  const auto timed = registry ? registry->usable() : nullptr;
  const auto table = timed && timed->rebuilt() ? timed->table : nullptr;
  if (!table || table->clock != whole_.table->clock || table->boundaries != range->count ||
      table->structure != range->structure || registry->device() != device_)
    return false;
  const driver::RelaxedCapture relaxed;
  const driver::CurrentContext current(device_->context());
  ChildCopy copy(*timed);
  if (!copy.timing() || !whole_.buffer->bindStamps(*copy.timing(), range->first, table->edges) ||
      !ok(cu().graphExecChildGraphNodeSetParams(whole_.exec, twin, copy.graph())))
    return false;
  registry->used();
  whole_.table = exchanged(*whole_.table, *range, *table);
  return true;
}

std::optional<TimedChild> Pair::timedChild(driver::Node node) const {
  const InPlaceExec *const inPlace = inPlaceExec();
  const auto all = inPlace ? inPlace->registry->timed()->timedChildren : nullptr;
  if (!all)
    return std::nullopt;
  const auto made = std::find_if(all->begin(), all->end(),
                                 [node](const TimedChild &child) { return child.holder == node; });
  if (made == all->end())
    return std::nullopt;
  if (inPlace->writer == inPlace->registry)
    return *made;
  const auto index = static_cast<std::size_t>(made - all->begin());
  const auto now = inPlace->writer->timed()->timedChildren;
  if (!now || index >= now->size() || (*now)[index].range.count != made->range.count ||
      (*now)[index].bodies != made->bodies)
    return std::nullopt;
  return (*now)[index];
}

void Pair::bindChild(driver::Node node, std::span<const driver::Node> timing) {
  const MutexLock lock(mutex_);
  const auto child = timedChild(node);
  if (!child || timing.size() != child->range.count)
    return;
  const driver::RelaxedCapture relaxed;
  const driver::CurrentContext current(device_->context());
  // If this fails, the stamps are not bound and read no time.
  placeOf(*child, *whole_.table, whole_.buffer.get())
      .buffer->bindStamps(timing, child->range.first, {});
}

bool Pair::setChildInPlace(driver::Node node, const std::shared_ptr<Registry> &registry) {
  const auto child = timedChild(node);
  if (!child)
    return !registry;
  if (registry)
    registry->used();
  return exchangeIn(whole_.table, *child, registry.get(), device_);
}

} // namespace graphprof
