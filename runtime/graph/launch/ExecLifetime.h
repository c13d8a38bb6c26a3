// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Tells when an exec of the program is gone, whoever destroyed it. The handle cannot tell, because
// CUDA reuses it. So while the program makes a recorded exec, the graph holds a user object of
// graphprof's, and the exec takes a reference to it, as to every user object. Then the graph's own
// reference is released. When the exec is destroyed, CUDA calls the object's destructor.
//
// An updated exec replaces its user objects by those of the new graph. So each update adds an
// object, and the exec is gone when all objects are.
//
// CUDA calls destructors on its own thread, some time after the exec is gone. Until then the handle
// may belong to another exec; CUDA 13.0 has no call that would tell.

#ifndef GRAPHPROF_GRAPH_LAUNCH_EXECLIFETIME_H
#define GRAPHPROF_GRAPH_LAUNCH_EXECLIFETIME_H

#include <atomic>
#include <cstdint>
#include <memory>

#include "cuda/DriverApi.h"

namespace graphprof {

/// The lifetime of one exec. Any thread may call its members.
class ExecLifetime : public std::enable_shared_from_this<ExecLifetime> {
public:
  static std::shared_ptr<ExecLifetime> make() {
    return std::shared_ptr<ExecLifetime>(new ExecLifetime);
  }

  /// A reference that a graph holds while this lives: an exec that is made or updated from the
  /// graph meanwhile takes one, too.
  class UserObjectRef {
  public:
    explicit UserObjectRef(driver::Graph graph) : graph_(graph) {}
    ~UserObjectRef();
    UserObjectRef(const UserObjectRef &) = delete;
    UserObjectRef &operator=(const UserObjectRef &) = delete;

  private:
    friend ExecLifetime;
    const driver::Graph graph_;
    driver::UserObject object_ = nullptr; ///< set while the graph holds it
  };
  /// Null if the driver refuses.
  std::unique_ptr<UserObjectRef> attachTo(driver::Graph graph);

  /// The exec was made or updated. If `holds`, it took a reference. Otherwise the driver refused,
  /// and nothing tells when the exec is gone.
  void taken(bool holds) noexcept { isHeld_.store(holds, std::memory_order_relaxed); }
  /// Whether the exec took a reference, and nothing holds one any more.
  [[nodiscard]] bool isDestroyed() const noexcept {
    return isHeld_.load(std::memory_order_relaxed) && objects_.load(std::memory_order_acquire) == 0;
  }

  /// How many user objects were destroyed so far, of all execs.
  static std::uint64_t gone() noexcept;

private:
  ExecLifetime() = default;
  static void destroyed(void *lifetime) noexcept;

  std::atomic<bool> isHeld_{false};
  std::atomic<int> objects_{0}; // that are not destroyed
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_EXECLIFETIME_H
