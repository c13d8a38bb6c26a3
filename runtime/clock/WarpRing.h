// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where the timed twins of one exec's kernels write (graphprof/device/recording.h), and where the
// host reads that: memory on the device for one replay, because launches of one exec never overlap,
// and a ring in pinned memory, to which the replay's publishing node copies. Part of a StampRing.
//
// The device overwrites the oldest entry of the ring when it is full. Every word says which replay
// it is of, and the state of a warp is written last; so a reader takes only what belongs together.

#ifndef GRAPHPROF_CLOCK_WARPRING_H
#define GRAPHPROF_CLOCK_WARPRING_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clock/Clock.h"
#include "clock/Device.h"
#include "graphprof/device/recording.h"

namespace graphprof {

class WarpRing {
public:
  /// The most entries that each warp of twins with these plans can have, at most `wanted`; 0: the
  /// twins need more memory than one exec may take.
  [[nodiscard]] static unsigned entriesFor(std::span<const WarpPlan> plans, unsigned wanted);

  /// In the current context. Null if there is no memory. Each warp has `entriesPerWarp` entries.
  static std::unique_ptr<WarpRing> make(Device &device, std::vector<WarpPlan> plans,
                                        unsigned entriesPerWarp);
  /// Nothing writes to it any more: gives its memory back.
  void retire() noexcept;
  WarpRing(const WarpRing &) = delete;
  WarpRing &operator=(const WarpRing &) = delete;

  /// Points the twins, in the order of the plans, and the publishing node at it. `control`: of the
  /// exec's stamps. Returns false if the driver refuses.
  bool bind(const TwinNodes &nodes, driver::DevicePointer control) const;
  /// Adds to `into` what the warps of twin number `twin` wrote in this replay, which has been
  /// published. Returns how many of its warps' writing is lost, because it was overwritten.
  std::size_t read(std::uint64_t sequence, std::size_t twin, std::vector<WarpReading> &into) const;

private:
  WarpRing(Device &device, std::vector<WarpPlan> plans, unsigned entriesPerWarp, unsigned depth,
           DeviceMemory memory, Pinned ring);
  [[nodiscard]] bool bindTwin(driver::Node node, std::size_t twin) const;
  enum class Written : std::uint8_t {
    No, ///< it is not one of the kernel's warps
    Yes,
    Overwritten, ///< by another replay, at least in part
  };
  [[nodiscard]] Written readWarp(std::uint64_t sequence, std::size_t twin, unsigned number,
                                 WarpReading &reading) const;

  Device &device_;
  const std::vector<WarpPlan> plans_;
  std::vector<unsigned> first_; // by twin: its first warp; then the number of all
  const unsigned entriesPerWarp_, depth_;
  const DeviceMemory memory_;
  const Pinned ring_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_WARPRING_H
