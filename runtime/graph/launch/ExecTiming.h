// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One way in which the launches of the program's exec are timed. A pair has one at a time, chooses
// it in Pair::make(), and asks it alone from then on.
//
//   way                     | a launch takes           | ends or is replaced by
//   ------------------------+--------------------------+-------------------------------------------
//   DeferredExec            | the program's exec       | ProfiledExec, at a launch that is recorded
//                           |                          | or at a change of the exec; ends if that
//                           |                          | cannot be made
//   ProfiledExec            | its own while recording  | DeferredExec, if another pair needs its
//                           |                          | place; ends if a change could not be
//                           |                          | repeated
//   InPlaceExec             | the program's exec       | ends when another exec writes to the same
//                           |                          | place
//   ExecTiming (this class) | the program's exec       | update() from a graph with regions
//
// Those of which repeatsChanges() is true have or will have an exec of another graph, in which they
// repeat what the program does to its own.
//
// Threads: every call is under the pair's lock.

#ifndef GRAPHPROF_GRAPH_LAUNCH_EXECTIMING_H
#define GRAPHPROF_GRAPH_LAUNCH_EXECTIMING_H

#include <cstdint>
#include <memory>
#include <span>

#include "cuda/DriverApi.h"
#include "cuda/Occupancy.h"
#include "graph/launch/ExecContext.h"
#include "graph/launch/LaunchOrder.h"
#include "graph/launch/PairAnswers.h"
#include "graph/registry/Registry.h"

namespace graphprof {

/// Not timed. The others override what they do differently. Destroying one gives up what it has:
/// launched replays still finish and are read.
class ExecTiming {
public:
  /// `context` must outlive this.
  explicit ExecTiming(ExecContext &context) noexcept : context_(context) {}
  virtual ~ExecTiming() = default;
  ExecTiming(const ExecTiming &) = delete;
  ExecTiming &operator=(const ExecTiming &) = delete;

  [[nodiscard]] virtual bool isTimed() const noexcept { return false; }
  [[nodiscard]] virtual bool repeatsChanges() const noexcept { return false; }
  /// What it is timed with cannot be used any more. The pair then destroys this.
  [[nodiscard]] virtual bool isOver() const noexcept { return false; }
  /// The regions that records show now; null if none.
  [[nodiscard]] virtual const RegionTable *table() const noexcept { return nullptr; }
  /// Whether an exec that writes to `buffer` may be launched.
  [[nodiscard]] virtual bool writesTo(const ReplayBuffer *) const noexcept { return false; }

  /// Why an exec that can be profiled is needed: for a launch that is recorded, which the program's
  /// exec can make instead, or for a change of the exec.
  enum class Need : std::uint8_t { Launch, Change };
  /// Call this before a launch that is recorded and before a change. Returns the way that replaces
  /// this one; null: none does.
  virtual std::unique_ptr<ExecTiming> readyFor(Need) noexcept { return nullptr; }
  /// Another pair needs the place of the profiled exec. Returns the way that replaces this one and
  /// can make it again; null if there is none.
  virtual std::unique_ptr<ExecTiming> makeRoom() noexcept { return nullptr; }

  virtual internal::Launch launch(const LaunchCall &call);
  /// The program launched its exec itself.
  virtual void launchedPlain(driver::Stream stream);
  virtual void upload(driver::Stream) {}

  /// The program updated its exec from the graph of `registry`; `switched` as in Pair::make().
  /// Returns false if this cannot follow.
  [[nodiscard]] virtual bool update(const std::shared_ptr<Registry> &registry, bool switched);
  // Changes of the program's exec: as in Pair.
  [[nodiscard]] virtual internal::Twin twin(driver::Node) { return {nullptr, nullptr, false}; }
  virtual void nodeChanged(driver::Node, const char *) {}
  virtual void kernelChanging(driver::Node, const driver::Grid &) {}
  virtual void switching(driver::Node, bool) {}
  [[nodiscard]] virtual internal::ChildChange setChild(driver::Node, driver::Graph,
                                                       const std::shared_ptr<Registry> &);
  virtual void bindChild(driver::Node, std::span<const driver::Node>) {}

  /// Of a way that does not repeat changes: the program's exec was changed in a way that is not
  /// known, or runs nobody knows when. So nobody reads what it writes. Returns whether it was timed
  /// until now.
  virtual bool abandon() noexcept { return false; }

protected:
  [[nodiscard]] ExecContext &context() const noexcept { return context_; }

private:
  ExecContext &context_;
};

/// What execs can be made of or updated from of `registry`, if that is timed with the clock of
/// `table` at as many boundaries; null otherwise.
[[nodiscard]] std::shared_ptr<const TimedGraph> timedLike(const RegionTable &table,
                                                          const Registry *registry);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_EXECTIMING_H
