// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Control blocks of the stamp kernels: device memory, of which each ring has one.

#ifndef GRAPHPROF_CLOCK_STAMPCONTROLS_H
#define GRAPHPROF_CLOCK_STAMPCONTROLS_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "Mutex.h"
#include "clock/StampLayout.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// How many control blocks are taken, by where they are. Contexts may share them: a green context
/// has the memory of its device's primary context.
class ControlCounts {
public:
  /// One that no context has; nullopt if there is none.
  std::optional<std::uint32_t> take(driver::DevicePointer controls) EXCLUDES(mutex_);
  /// Other memory is there now: a reset freed the former one.
  void forget(driver::DevicePointer controls) EXCLUDES(mutex_);

private:
  Mutex mutex_;
  std::map<driver::DevicePointer, std::uint32_t> taken_ GUARDED_BY(mutex_);
};

/// Those that one context has. Any thread may call any member.
class StampControls {
public:
  /// `counts` must outlive this.
  explicit StampControls(ControlCounts &counts) : counts_(counts) {}

  /// A control block and its current sequence. Index none: all are taken.
  struct Control {
    std::uint32_t index;
    std::uint64_t sequence;
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  /// They are at `controls`. Call this once, before the others.
  void setAddress(driver::DevicePointer controls) { address_ = controls; }
  [[nodiscard]] driver::DevicePointer address(std::uint32_t index) const {
    return address_ + static_cast<driver::DevicePointer>(index) * sizeof(StampControl);
  }

  Control take() EXCLUDES(mutex_);
  void giveBack(Control control) noexcept EXCLUDES(mutex_);
  /// One for a conditional node's body. The host never knows its sequence, so it serves only
  /// bodies.
  std::uint32_t takeForBody() EXCLUDES(mutex_);
  void giveBackOfBody(std::uint32_t index) noexcept EXCLUDES(mutex_);

private:
  template <class Item> std::optional<std::uint32_t> add(std::vector<Item> &free) REQUIRES(mutex_);

  ControlCounts &counts_;
  driver::DevicePointer address_ = 0;
  Mutex mutex_;
  std::uint32_t own_ GUARDED_BY(mutex_) = 0; // how many this context has
  // Have capacity for all of its own, so that giving back needs no memory.
  std::vector<Control> free_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> freeOfBodies_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPCONTROLS_H
