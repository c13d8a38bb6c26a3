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
#include "graph/registry/GraphLife.h"

namespace graphprof {

/// What a profiled exec is made from.
class ExecOrigin {
public:
  explicit ExecOrigin(std::shared_ptr<Registry> registry)
      : kept_(std::make_shared<KeptRegistry>(std::move(registry))) {}

  struct Sources {
    /// To make it from; keeps the twins' nodes alive. Null: it is made, and there are no twins.
    std::shared_ptr<Registry> registry;
    std::shared_ptr<Registry> latest; ///< to update it from afterwards; null: no update
  };
  [[nodiscard]] Sources sources() {
    std::shared_ptr<Registry> registry = kept_->get();
    if (!registry && latest_) { // the program destroyed the graph that it was made from
      registry = std::exchange(latest_, nullptr);
      kept_ = std::make_shared<KeptRegistry>(registry);
      isLeft_ = false;
    }
    return {std::move(registry), latest_};
  }
  [[nodiscard]] std::shared_ptr<Registry> registry() { return sources().registry; }
  /// Keeps `registry`, from which the exec was made, whatever becomes of the program's graph, until
  /// leave(). Takes it from the caller, because another thread may destroy that graph meanwhile.
  void keep(std::shared_ptr<Registry> registry) {
    kept_ = std::make_shared<KeptRegistry>(std::move(registry));
    isLeft_ = false;
  }
  /// It is not made again.
  void dropLatest() noexcept { latest_.reset(); }

  /// The program changed nodes of its exec, so one made from these would differ until an update.
  void edited(bool isEdited = true) noexcept { isEdited_ = isEdited; }
  [[nodiscard]] bool isEdited() const noexcept { return isEdited_; }

  /// The program updated its exec from the graph of `latest` (null: it is not made again);
  /// `switched` as in Pair::make(). An update keeps what is switched.
  void updated(std::shared_ptr<Registry> latest, bool switched) {
    latest_ = std::move(latest);
    isEdited_ = isEdited_ && switched;
  }
  /// After an update: what it was made from is needed only as long as the program can name nodes of
  /// that graph. Then it must go, with the user objects that the program's exec gave up with the
  /// update.
  void leave() {
    const auto registry = kept_->get();
    if (registry && !isLeft_)
      registry->life().keepUntilDestroyed(kept_);
    isLeft_ = true;
  }

private:
  std::shared_ptr<KeptRegistry> kept_;
  std::shared_ptr<Registry> latest_;
  bool isEdited_ = false, isLeft_ = false;
};

class DeferredExec final : public ExecTiming {
public:
  /// The way of a graph that was rebuilt. A failure if the driver cannot tell how the exec was
  /// `switched`.
  static Expected<std::unique_ptr<ExecTiming>>
  make(ExecContext &context, std::shared_ptr<Registry> registry, bool switched);

  /// `table`: of the last update.
  DeferredExec(ExecContext &context, ExecOrigin from, std::shared_ptr<const RegionTable> table);

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
