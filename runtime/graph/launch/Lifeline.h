// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Tells when an exec of the program's is gone, whoever destroyed it. A handle says nothing: CUDA
// gives it out again. So while the program makes an exec that is recorded, the graph holds a user
// object of ours, and the exec takes a reference along, as it does of every user object. The
// graph's own reference goes right after. When the exec goes, CUDA calls the object's destructor.
//
// An exec that is updated takes the user objects of its new graph in place of its own: so each
// update gets an object more, and the exec is gone when all of them are.
//
// CUDA calls destructors on a thread of its own, some time after the exec went. Until then the
// handle may be another exec's, and CUDA 13.0 has no call that would tell.

#ifndef GRAPHPROF_GRAPH_LAUNCH_LIFELINE_H
#define GRAPHPROF_GRAPH_LAUNCH_LIFELINE_H

#include <atomic>
#include <cstdint>
#include <memory>

#include "cuda/DriverApi.h"

namespace graphprof {

/// One exec's. Any thread may call its members.
class Lifeline : public std::enable_shared_from_this<Lifeline> {
public:
  static std::shared_ptr<Lifeline> make() { return std::shared_ptr<Lifeline>(new Lifeline); }

  /// Ties the line to a graph while it lives: the exec that is made or updated from the graph
  /// meanwhile holds it.
  class Knot {
  public:
    explicit Knot(driver::Graph graph) : graph_(graph) {}
    ~Knot();
    Knot(const Knot &) = delete;
    Knot &operator=(const Knot &) = delete;

  private:
    friend Lifeline;
    const driver::Graph graph_;
    driver::UserObject object_ = nullptr; ///< once the graph holds it
  };
  /// Null where the driver refuses.
  std::unique_ptr<Knot> tieTo(driver::Graph graph);

  /// The exec was made or updated, and holds it from now on; or it does not, since the driver
  /// refused the knot: then nothing tells when the exec goes.
  void taken(bool holds) noexcept { isHeld_.store(holds, std::memory_order_relaxed); }
  /// Whether the exec held it, and nothing does any more.
  [[nodiscard]] bool isCut() const noexcept {
    return isHeld_.load(std::memory_order_relaxed) && objects_.load(std::memory_order_acquire) == 0;
  }

  /// How many user objects went so far, of all lines.
  static std::uint64_t gone() noexcept;

private:
  Lifeline() = default;
  static void destroyed(void *line) noexcept;

  std::atomic<bool> isHeld_{false};
  std::atomic<int> objects_{0}; // that are not destroyed
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_LIFELINE_H
