// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timed by execs of rebuilt graphs: the whole, which follows what the program does to its exec, and
// parts, each of which records a part of the regions (RecordingPlan.h). Parts do not follow: from
// the program's first change on, there are none. A launch takes one of these execs while graphprof
// records, and the program's own otherwise.
//
// If kernels have timed twins, every other launch that would take the whole takes a variant with
// the twins (timeTwins()). It does not follow changes of nodes, but is made again after an update.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PROFILEDEXEC_H
#define GRAPHPROF_GRAPH_LAUNCH_PROFILEDEXEC_H

#include <memory>
#include <string_view>
#include <vector>

#include "Expected.h"
#include "graph/launch/DeferredExec.h"
#include "graph/launch/ExecTiming.h"

namespace graphprof {

class ProfiledExec final : public ExecTiming {
public:
  /// Makes the whole from `from`, whose newest table is `table`; it then holds `place`. In the
  /// device's context. A failure if the driver refuses; then `place` stays.
  static Expected<std::unique_ptr<ExecTiming>> make(ExecContext &context, ExecOrigin from,
                                                    std::shared_ptr<const RegionTable> table,
                                                    ExecLimit::Place &place);
  ProfiledExec(ExecContext &context, ExecOrigin from, std::shared_ptr<const RegionTable> made);
  ~ProfiledExec() override;
  ProfiledExec(const ProfiledExec &) = delete;
  ProfiledExec &operator=(const ProfiledExec &) = delete;

  [[nodiscard]] bool isTimed() const noexcept override { return true; }
  [[nodiscard]] bool repeatsChanges() const noexcept override { return true; }
  [[nodiscard]] const RegionTable *table() const noexcept override { return whole_.table.get(); }
  [[nodiscard]] bool writesTo(const ReplayBuffer *buffer) const noexcept override;
  std::unique_ptr<ExecTiming> makeRoom() noexcept override;
  internal::Launch launch(const LaunchCall &call) override;
  void upload(driver::Stream stream) override;
  [[nodiscard]] bool update(const std::shared_ptr<Registry> &registry, bool switched) override;
  [[nodiscard]] internal::Twin twin(driver::Node node) override;
  void nodeChanged(driver::Node node, const char *kernel) override;
  void kernelChanging(driver::Node node, const driver::Grid &grid) override;
  void switching(driver::Node node, bool isOn) override;
  [[nodiscard]] internal::ChildChange setChild(driver::Node node, driver::Graph child,
                                               const std::shared_ptr<Registry> &registry) override;

private:
  /// What the launch of that number records, which is about to happen.
  [[nodiscard]] Take nextTake(std::uint64_t launch);
  /// The exec that records `take`; null if there is none.
  TimedExec *execFor(const Take &take);
  /// The exec that stamps ends; null if there is none.
  TimedExec *execForEnds(const Take &take);
  bool makePart(TimedExec &part, const Take &take);
  /// The graph that records `take`, which is not the whole; null if the driver refuses.
  [[nodiscard]] std::shared_ptr<const TimedGraph> graphFor(const Take &take);
  bool launchTimed(TimedExec &timed, const LaunchCall &call, bool isSample);
  /// The program changes its exec, which parts do not follow.
  void changing() noexcept;
  /// The exec was updated from the graph that `now` times.
  void twinsFollow(std::shared_ptr<const TimedGraph> now) noexcept;
  /// From now on the kernels of the exec run as they are. Counts them, with the reason.
  void loseTwins(std::string_view why) noexcept;
  /// Launches record the whole, or its variant with twins, which is made when it is needed.
  void keepWhole() noexcept;
  void dropParts() noexcept;
  void releaseParts() noexcept;
  void release(TimedExec &timed) noexcept;
  /// Gives the twin of a child node a copy of the graph that times `registry`.
  bool exchangeChild(driver::Node twin, const BoundaryRange &range, Registry &registry);

  /// The region that shows a node of the program; null if none does.
  /// In the graph that the exec was made from; null if there is none.
  [[nodiscard]] driver::Node twinOf(driver::Node node);
  [[nodiscard]] const Region *shownAs(driver::Node node) const;
  [[nodiscard]] bool mayWait(driver::Node node, driver::Node twin, const driver::Grid &grid) const;
  /// A kernel that must not wait for a stamp at the moment, and why.
  struct HeldKernel {
    enum Why : std::uint8_t { TooSmall, Disabled };
    driver::Node node;
    Why why;
    bool operator==(const HeldKernel &) const = default;
  };
  void hold(driver::Node node, HeldKernel::Why why, bool isHeld);

  ExecOrigin from_;                               // with `latest` only if it may be made again
  const std::shared_ptr<const RegionTable> made_; // the table of from_.registry()
  TimedExec whole_;
  TimedExec bare_; // made as they are needed, as are the parts
  std::vector<TimedExec> parts_;
  std::vector<TimedExec> ends_; // of each part the two that stamp its kernels' ends (OwnEnds)
  // The variant with kernels' timed twins, and the graph that it is made from, which is the one
  // that the exec runs now. Null: the kernels run as they are.
  TimedExec twins_;
  std::shared_ptr<const TimedGraph> twinsFrom_;
  unsigned twinsMade_ = 0;       // so often
  std::vector<HeldKernel> held_; // while there are any, launches are not timed
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_PROFILEDEXEC_H
