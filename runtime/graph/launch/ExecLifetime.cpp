// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ExecLifetime.h"

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

std::atomic<std::uint64_t> objectsGone{0};

} // namespace

std::uint64_t ExecLifetime::gone() noexcept { return objectsGone.load(std::memory_order_relaxed); }

// CUDA calls this on a thread of its own, where CUDA calls are not allowed.
void ExecLifetime::destroyed(void *lifetime) noexcept {
  const std::unique_ptr<std::shared_ptr<ExecLifetime>> mine(
      static_cast<std::shared_ptr<ExecLifetime> *>(lifetime));
  (*mine)->objects_.fetch_sub(1, std::memory_order_release);
  objectsGone.fetch_add(1, std::memory_order_relaxed);
}

std::unique_ptr<ExecLifetime::UserObjectRef> ExecLifetime::attachTo(driver::Graph graph) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return nullptr;
  auto reference =
      std::make_unique<UserObjectRef>(graph); // allocate before the driver has anything
  auto mine = std::make_unique<std::shared_ptr<ExecLifetime>>(shared_from_this());
  driver::UserObject object = nullptr;
  if (!ok(cu().userObjectCreate(&object, mine.get(), destroyed, 1, driver::noDestructorSync)))
    return nullptr;
  static_cast<void>(mine.release()); // destroyed() frees it
  objects_.fetch_add(1, std::memory_order_relaxed);
  const bool tied = ok(cu().graphRetainUserObject(graph, object, 1, 0));
  cu().userObjectRelease(object, 1); // this function's own reference
  if (!tied)
    return nullptr;
  reference->object_ = object;
  return reference;
}

ExecLifetime::UserObjectRef::~UserObjectRef() {
  if (!object_)
    return;
  const driver::RelaxedCapture relaxed;
  if (relaxed)
    cu().graphReleaseUserObject(graph_, object_, 1);
}

} // namespace graphprof
