// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timed in place: the program's own exec writes the times, because the timing nodes are in the
// program's graph. Every launch writes; nobody reads the times of those that are not recorded.

#ifndef GRAPHPROF_GRAPH_LAUNCH_INPLACEEXEC_H
#define GRAPHPROF_GRAPH_LAUNCH_INPLACEEXEC_H

#include <memory>
#include <optional>

#include "Expected.h"
#include "graph/launch/ExecTiming.h"

namespace graphprof {

class InPlaceExec final : public ExecTiming {
public:
  /// The way of a graph with timing nodes of its own. A failure if another exec writes its times to
  /// the same place.
  static Expected<std::unique_ptr<ExecTiming>> make(ExecContext &context,
                                                    const std::shared_ptr<Registry> &registry);
  InPlaceExec(ExecContext &context, std::shared_ptr<Registry> registry);
  ~InPlaceExec() override;
  InPlaceExec(const InPlaceExec &) = delete;
  InPlaceExec &operator=(const InPlaceExec &) = delete;

  [[nodiscard]] bool isTimed() const noexcept override { return true; }
  [[nodiscard]] bool isOver() const noexcept override { return isOver_; }
  [[nodiscard]] const RegionTable *table() const noexcept override { return timed_.table.get(); }
  internal::Launch launch(const LaunchCall &call) override;
  void launchedPlain(driver::Stream stream) override;
  [[nodiscard]] bool update(const std::shared_ptr<Registry> &registry, bool switched) override;
  [[nodiscard]] internal::ChildChange setChild(driver::Node node, driver::Graph child,
                                               const std::shared_ptr<Registry> &registry) override;
  void bindChild(driver::Node node, std::span<const driver::Node> timing) override;
  bool abandon() noexcept override;

private:
  /// From now on the exec writes to the buffer of `registry`. Returns false if another exec does
  /// so, too.
  [[nodiscard]] bool writeTo(const std::shared_ptr<Registry> &registry);
  void leaveBuffer() noexcept;
  /// The child node that was `node` in the graph from which the exec was made; nullopt if there is
  /// none. Its range belongs to the graph of the last update.
  [[nodiscard]] std::optional<TimedChild> childAt(driver::Node node) const;

  const std::shared_ptr<Registry> registry_; // that it was made from
  std::shared_ptr<Registry> writer_;         // of the last update
  std::shared_ptr<InPlaceBuffer> buffer_;    // the writer's, to which the exec writes
  TimedExec timed_;
  bool isOver_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_INPLACEEXEC_H
