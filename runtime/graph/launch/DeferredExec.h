// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timed by an exec that is not made yet. A profiled exec takes device memory, and most programs
// have many execs that they never launch while graphprof records. So it is made late, from a graph
// that was rebuilt in time.

#ifndef GRAPHPROF_GRAPH_LAUNCH_DEFERREDEXEC_H
#define GRAPHPROF_GRAPH_LAUNCH_DEFERREDEXEC_H

#include <memory>
#include <utility>

#include "Expected.h"
#include "graph/launch/ExecTiming.h"

namespace graphprof {

/// What a profiled exec is made from.
struct ExecOrigin {
  /// To make it from; keeps the twins' nodes alive. Null: it is made, and there are no twins.
  std::shared_ptr<Registry> registry;
  std::shared_ptr<Registry> latest; ///< to update it from afterwards; null: no update
  /// The program changed nodes of its exec, so one made from these would differ until an update.
  bool isEdited = false;

  /// The program updated its exec; `switched` as in Pair::make().
  void updated(bool switched) { isEdited = isEdited && switched; } // an update keeps that setting
  /// After an update: if the program has destroyed the graph that the exec was made from, it names
  /// none of its nodes, and nothing of it is kept. It would keep the user objects alive that the
  /// program's exec gave up with the update. Then `registry` is `latest`.
  void leaveDestroyed() {
    if (registry && registry->isDestroyed())
      registry = std::exchange(latest, nullptr);
  }
  [[nodiscard]] const std::shared_ptr<Registry> &newest() const {
    return latest ? latest : registry;
  }
};

class DeferredExec final : public ExecTiming {
public:
  /// The way of a graph that was rebuilt. A failure if the driver cannot tell how the exec was
  /// `switched`.
  static Expected<std::unique_ptr<ExecTiming>>
  make(ExecContext &context, std::shared_ptr<Registry> registry, bool switched);

  DeferredExec(ExecContext &context, ExecOrigin from);

  [[nodiscard]] bool isTimed() const noexcept override { return true; }
  [[nodiscard]] bool repeatsChanges() const noexcept override { return true; }
  [[nodiscard]] bool isOver() const noexcept override { return failed_; }
  [[nodiscard]] const RegionTable *table() const noexcept override { return table_.get(); }
  /// Makes the profiled exec. If that fails, counts and reports it.
  std::unique_ptr<ExecTiming> readyFor(Need need) noexcept override;
  internal::Launch launch(const LaunchCall &call) override;
  [[nodiscard]] bool update(const std::shared_ptr<Registry> &registry, bool switched) override;

private:
  Expected<std::unique_ptr<ExecTiming>> makeProfiled(ExecLimit::Place place);

  ExecOrigin from_;
  std::shared_ptr<const RegionTable> table_; // of the last update
  bool failed_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_DEFERREDEXEC_H
