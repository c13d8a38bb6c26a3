// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/JoinedStreams.h"

#include <new>
#include <vector>

#include "ThreadOwned.h"
#include "graph/registry/Registry.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

namespace {

struct Joined {
  driver::Stream stream;
  std::uint64_t captureId;
};
// This thread's; the newest last.
struct JoinedHere {
  std::vector<Joined> all;
};

} // namespace

std::shared_ptr<Registry> JoinedStreams::captureOf(driver::Stream stream, std::uint64_t id) const {
  const auto found = captures_.find(stream);
  if (found == captures_.end() || found->second.id != id)
    return nullptr;
  auto registry = found->second.registry.lock();
  return registry && !registry->hasEnded() && registry->captureId() == id ? registry : nullptr;
}

void JoinedStreams::joined(driver::Stream stream, const std::shared_ptr<Registry> &registry) {
  if (!follows_)
    return;
  auto *const here = ofThisThread<JoinedHere>();
  if (!here)
    throw std::bad_alloc();
  const std::uint64_t id = registry->captureId();
  const MutexLock lock(mutex_);
  std::erase_if(captures_, [](const auto &each) {
    const auto of = each.second.registry.lock();
    return !of || of->hasEnded();
  });
  captures_[stream] = {registry, id};
  std::erase_if(here->all, [&](const Joined &each) REQUIRES(mutex_) {
    return each.stream == stream || !captures_.contains(each.stream);
  });
  here->all.push_back({stream, id});
}

std::pair<driver::Stream, std::shared_ptr<Registry>> JoinedStreams::newest() {
  auto *const here = ofThisThread<JoinedHere>();
  for (; here && !here->all.empty(); here->all.pop_back()) {
    const auto [stream, id] = here->all.back();
    if (auto registry = captureOf(stream, id))
      return {stream, std::move(registry)};
  }
  return {};
}

void JoinedStreams::destroying(driver::Stream stream) {
  if (!Registry::anyUnderCapture())
    return;
  const MutexLock lock(mutex_);
  const auto found = captures_.find(stream);
  if (found == captures_.end())
    return;
  const auto registry = captureOf(stream, found->second.id);
  captures_.erase(found);
  Frontier frontier;
  if (registry && Frontier::read(stream, frontier) == Frontier::Status::Capturing &&
      frontier.captureId == registry->captureId())
    registry->streamGoes(stream, frontier);
}

} // namespace graphprof
