// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much of a device's memory stretches of the program took, from one moment to another: by how
// much its free memory fell. Each begin and end is a reading, and what was taken between two
// readings belongs to the stretch that began last and has not ended. So stretches may lie inside
// each other, as an instantiation in a capture, and what all took together is exact. Does not know
// graphs.
//
// Free memory is the device's: what other processes, and threads without a stretch, take meanwhile
// is in it. Where stretches of two threads meet, it is not certain which of them took what, and
// they say so.

#ifndef GRAPHPROF_GRAPH_MEMORY_STRETCHES_H
#define GRAPHPROF_GRAPH_MEMORY_STRETCHES_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "Mutex.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// Any thread may call any member, and end what another began. Makes CUDA calls, which wait for
/// nothing and disturb no capture.
class Stretches {
public:
  /// A handle.
  struct Stretch {
    std::uint64_t id = 0; ///< 0: none
    driver::Context context = nullptr;
    int device = -1;
    bool asksPool = false;
  };
  struct Taken {
    int device = -1;
    std::int64_t bytes = 0, poolBytes = 0; ///< as in GraphMemoryStep
    bool overlaps = false;
  };

  /// On the device of the current context. `asksPool`: not during a capture. Returns one without an
  /// id if the driver does not tell.
  [[nodiscard]] Stretch begin(bool asksPool) noexcept EXCLUDES(mutex_);
  /// nullopt if the driver does not tell, or there was none.
  [[nodiscard]] std::optional<Taken> end(Stretch &stretch) noexcept EXCLUDES(mutex_);
  /// It does not count, because what it was for failed.
  void drop(Stretch &stretch) noexcept EXCLUDES(mutex_);

private:
  struct Reading {
    std::int64_t free = 0;
    std::optional<std::int64_t> pool; ///< nullopt: not asked
  };
  struct Open {
    std::uint64_t id;
    int thread; ///< as the kernel numbers it
    bool asksPool;
    Taken taken; ///< so far
  };
  struct OfDevice {
    std::optional<std::int64_t> free, pool; ///< as last read
    std::vector<Open> open;                 ///< in the order of their begins

    void read(const Reading &now);
    std::optional<Taken> close(std::uint64_t id);
  };

  [[nodiscard]] static std::optional<Reading> readingOf(const Stretch &stretch) noexcept;

  Mutex mutex_; // nothing is called while it is held
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::map<int, OfDevice> devices_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_MEMORY_STRETCHES_H
