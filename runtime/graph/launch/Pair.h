// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The pair: the program's own exec (plain), and the profiled exec made beside it. It decides which
// of the two a launch takes, keeps their launches in order, and repeats what the program does to
// its exec. For a graph that is timed in place, both are the same exec. LaunchedReplays takes care
// of the launched replays.
//
//   timed by     | a launch takes           | leaves it by
//   -------------+--------------------------+--------------------------------------------------------
//   Deferred     | plain                    | ensureProfiledExec() (a launch that is recorded, or a
//                |                          | change of the exec), drop(), destroy()
//   ProfiledExec | profiled while recording | makeRoom(), drop() (a change could not be repeated),
//                |                          | destroy()
//   InPlaceExec  | the only one             | drop(), destroy()
//   nothing      | plain                    | update() from a graph with regions
//
// A profiled exec may be one of several: the whole, which follows what the program does to its
// exec, and parts, each of which records a part of the regions (RecordingPlan.h). Parts do not
// follow: from the program's first change on, there are none.
//
// A profiled exec takes device memory, and most programs have many execs that they never launch
// while graphprof records. So it is made late (Deferred), from a graph that was rebuilt in time.
//
// When it is destroyed, no more launches come. It is retired when every launched replay is
// harvested.
//
// Threads and races:
// - The program's threads call everything except harvest(), under the pair's lock. It is held
//   during the driver's launch, so that launches and sequences have the same order.
// - The harvest thread takes another lock, to copy the notes of launches, and makes no CUDA call
//   under it. Launches can be long, and neither side waits for the other. Reading the ring needs no
//   lock.
// - Two execs of graphprof must not overlap or change order if two launches of the program's one
//   exec would not. So a launch that takes another exec than the last one, in another stream, waits
//   on the device for the last one. A profiled launch leaves a mark to wait for. A plain launch
//   leaves none, so a switch from plain takes one more plain launch with an event behind it.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PAIR_H
#define GRAPHPROF_GRAPH_LAUNCH_PAIR_H

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "CacheLine.h"
#include "Expected.h"
#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "cuda/Occupancy.h"
#include "graph/launch/ExecLifetime.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/LaunchedReplays.h"
#include "graph/launch/PairAnswers.h"
#include "graph/launch/RecordingPlan.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class ReplaySink;
class Services;

/// A launch as the host sees it. Times are the host's, in nanoseconds since the Unix epoch.
struct HostLaunch {
  std::uint64_t graph = 0, exec = 0, number = 0; ///< as in its records
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0; ///< when the driver's call returned; 0: no call, or it failed
};

class Pair : public std::enable_shared_from_this<Pair> {
public:
  /// What is known of an exec's launches before it has a pair.
  enum class LaunchHistory : std::uint8_t { New, MayRun };
  /// For the program's exec made with `flags`, of which `lifetime` tells the end; null: nothing
  /// does.
  Pair(Services &services, ExecLimit &limit, driver::Exec plain, unsigned long long flags,
       LaunchHistory past, std::shared_ptr<ExecLifetime> lifetime);
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;

  /// Whether the program's exec is gone, even unseen. Then its handle may belong to another exec.
  [[nodiscard]] bool isGone() const noexcept { return lifetime_ && lifetime_->isDestroyed(); }
  [[nodiscard]] const std::shared_ptr<ExecLifetime> &lifetime() const { return lifetime_; }

  /// From now on the profiled exec is that of `registry`. It is made when it is needed. A failure
  /// if there can be none; then launches stay plain. `switched`: nodes of the program's exec were
  /// enabled or disabled.
  Expected<void> make(std::shared_ptr<Registry> registry, bool switched) EXCLUDES(mutex_);

  /// Fills `*shown`, if given, with the launch; not for a launch into a capture, which CUDA
  /// refuses.
  internal::Launch launch(driver::Stream stream, std::int64_t step, HostLaunch *hostLaunch)
      EXCLUDES(mutex_);
  void launchedPlain(driver::Stream stream) EXCLUDES(mutex_);

  /// The program updated its exec from the graph of `registry` (null: one without regions). A
  /// failure if the profiled exec can neither follow nor be replaced.
  Expected<void> update(std::shared_ptr<Registry> registry, bool switched) EXCLUDES(mutex_);
  void upload(driver::Stream stream) EXCLUDES(mutex_);
  [[nodiscard]] internal::Twin twin(driver::Node node) EXCLUDES(mutex_);
  /// The program changed a node of its exec, and the twin was changed the same way. `kernel` is
  /// what a kernel node runs now; null: unknown.
  void nodeChanged(driver::Node node, const char *kernel) EXCLUDES(mutex_);
  /// The program gives a kernel node of its exec another function or grid. If that leaves no room
  /// for a stamp at its begin, the stamp's times are lost from now on. If there is room again
  /// later, they are read again. As long as it waits for a stamp and may not do so (Joins.h),
  /// launches are not timed.
  void kernelChanging(driver::Node node, const driver::Grid &grid) EXCLUDES(mutex_);
  /// The program enables or disables a node of its exec. One that is disabled must not wait for a
  /// stamp either.
  void switching(driver::Node node, bool isOn) EXCLUDES(mutex_);
  /// A child node of the program's exec got a copy of `child` with the registry `registry` (null:
  /// no regions). Returns false if the profiled exec cannot follow, or, timed in place, the child
  /// is not timed any more.
  bool setChild(driver::Node node, driver::Graph child, const std::shared_ptr<Registry> &registry)
      EXCLUDES(mutex_);
  [[nodiscard]] bool isTimedInPlace() EXCLUDES(mutex_);
  /// A child node of the exec, which is timed in place, is about to get a graph with these timing
  /// nodes.
  void bindChild(driver::Node node, std::span<const driver::Node> timing) EXCLUDES(mutex_);
  /// The profiled exec no longer does what the program's does, so launches are plain from now on.
  /// Returns whether there was a profiled exec.
  bool drop() noexcept EXCLUDES(mutex_);
  /// A change of the program's exec was not followed. Launches are plain from now on. If the exec
  /// is timed in place, nobody reads what it writes. Returns whether it was timed until now.
  bool invalidate() noexcept EXCLUDES(mutex_);
  /// The program destroys its exec.
  void destroy() noexcept EXCLUDES(mutex_);

  /// The host's time of the newest recorded launch, or of the making of the profiled exec.
  [[nodiscard]] std::int64_t lastLaunchNs() const noexcept {
    return lastLaunchNs_.load(std::memory_order_relaxed);
  }
  /// Another pair needs the place of the profiled exec (ExecLimit). Destroys it if its last launch
  /// was before that time and it can be made again. Its replays stay. Returns false if it stays, or
  /// if another thread uses the pair just now.
  bool makeRoom(std::int64_t launchedBeforeNs) noexcept EXCLUDES(mutex_);

  /// Hands every finished replay to `sink`, in launch order. Returns how many are still
  /// outstanding.
  std::size_t harvest(ReplaySink &sink, const LaunchedReplays::Turn &turn) {
    return replays_.harvest(sink, turn);
  }
  /// Destroyed with nothing outstanding: nothing more will come from this pair.
  [[nodiscard]] bool finished() EXCLUDES(mutex_);
  /// Where it is timed; null: not yet.
  [[nodiscard]] Device *device() EXCLUDES(mutex_);
  /// How many launched replays are outstanding.
  [[nodiscard]] std::size_t outstanding();
  /// May a recorded replay be outstanding that was launched before `hostNs`, a time in the past?
  [[nodiscard]] bool outBefore(std::int64_t hostNs) EXCLUDES(mutex_);
  /// The oldest recorded launch that is outstanding.
  [[nodiscard]] std::optional<PendingLaunches::Oldest> oldest() {
    return replays_.pending.oldest();
  }
  /// The number of the timed graph; 0: none.
  [[nodiscard]] std::uint64_t graph() EXCLUDES(mutex_);
  /// Discards what is outstanding, at exit, and returns how many. Not during harvest().
  std::size_t abandon() { return replays_.abandon(); }
  /// Too many destroyed execs wait for the harvest, this one among them. If everything has
  /// finished, counts what was not read and gives back the rings. Returns how many replays that
  /// were; nullopt if it is not possible now. Not on the harvest thread.
  std::optional<std::size_t> giveUp() EXCLUDES(mutex_);

private:
  /// An exec of a rebuilt graph that is not made yet.
  struct Deferred {
    std::shared_ptr<Registry> registry; ///< to make it from; keeps the twins' nodes alive
    std::shared_ptr<Registry> latest;   ///< to update it from afterwards; null: no update
    /// The program changed nodes of its exec, so one made from these would differ until an update.
    bool isEdited = false;
  };
  /// An exec that writes times, and where.
  struct TimedExec {
    driver::Exec exec = nullptr; ///< null: not made
    std::shared_ptr<const RegionTable> table;
    std::shared_ptr<ReplayBuffer> buffer;
    std::shared_ptr<const TimedGraph> part; ///< of a part: the exec is changed through its nodes
    Take take;
    std::shared_ptr<const TimingContext> source; ///< made from these after the first launch
    bool isCold = true;
    bool isRefused = false; ///< it could not be made
    bool isUnread = false;  ///< nobody reads the times of the newest launch
    ExecLimit::Place place;
  };
  /// The whole graph is in `whole_`, and parts of it in `parts`, as they are needed.
  struct ProfiledExec {
    Deferred from;                           ///< with `latest` only if it may have to be made again
    std::shared_ptr<const RegionTable> made; ///< the registry's table
    TimedExec bare;
    std::vector<TimedExec> parts;
    std::vector<TimedExec> ends; ///< of each part the two that stamp its kernels' ends (OwnEnds)
    /// Of the whole graph with kernels' timed twins: made from `twinsFrom`, the graph that the exec
    /// runs now. Null: the kernels run as they are.
    TimedExec twins;
    std::shared_ptr<const TimedGraph> twinsFrom;
    unsigned twinsMade = 0; ///< so often
  };
  /// Why it is needed: for a launch, which the program's exec can make instead, or for a change.
  enum class Reason : std::uint8_t { Launch, Change };
  /// The program's own exec writes the times, because its graph is timed in place.
  struct InPlaceExec {
    std::shared_ptr<Registry> registry;    ///< that it was made from
    std::shared_ptr<Registry> writer;      ///< of the last update
    std::shared_ptr<InPlaceBuffer> buffer; ///< the writer's, to which it writes
  };

  /// The region that shows a node of the program; null if none does.
  [[nodiscard]] const Region *shownAs(driver::Node node) const REQUIRES(mutex_);
  static bool launchExec(driver::Exec exec, driver::Stream stream, HostLaunch *hostLaunch);
  /// `stream` goes into a command list, where nothing is timed: the program makes the launch.
  internal::Launch leaveToCommandList(bool recording) REQUIRES(mutex_);
  internal::Launch launchPlain(driver::Stream stream, std::uint64_t id, bool mark,
                               HostLaunch *hostLaunch) REQUIRES(mutex_);
  bool markPlain(driver::Stream stream) noexcept REQUIRES(mutex_);
  /// Call this when nothing is outstanding. Gives back the buffers of profiled execs that are gone.
  void retireUsed() REQUIRES(mutex_);
  /// Where a launch of that exec writes its times.
  const std::shared_ptr<const TimingContext> &source(TimedExec &timed) REQUIRES(mutex_);
  /// The buffer is given up. Keeps it until the newest launch has written to it.
  void deferBufferReuse(TimedExec &timed) noexcept REQUIRES(mutex_);
  /// Gives up an exec that is not the program's own.
  void release(TimedExec &timed) noexcept REQUIRES(mutex_);
  [[nodiscard]] bool isInUse(const ReplayBuffer *buffer) const REQUIRES(mutex_);
  [[nodiscard]] bool mayWait(driver::Node node, driver::Node twin, const driver::Grid &grid) const
      REQUIRES(mutex_);
  /// A kernel that must not wait for a stamp at the moment, and why.
  struct HeldKernel {
    enum Why : std::uint8_t { TooSmall, Disabled };
    driver::Node node;
    Why why;
    bool operator==(const HeldKernel &) const = default;
  };
  void hold(driver::Node node, HeldKernel::Why why, bool isHeld) REQUIRES(mutex_);
  void forgetProfiled() noexcept REQUIRES(mutex_);
  [[nodiscard]] const ProfiledExec *profiledExec() const REQUIRES(mutex_) {
    return std::get_if<ProfiledExec>(&timed_);
  }
  [[nodiscard]] const InPlaceExec *inPlaceExec() const REQUIRES(mutex_) {
    return std::get_if<InPlaceExec>(&timed_);
  }
  [[nodiscard]] bool isTimed() const REQUIRES(mutex_) {
    return !std::holds_alternative<std::monostate>(timed_);
  }
  [[nodiscard]] bool isDeferred() const REQUIRES(mutex_) {
    return std::holds_alternative<Deferred>(timed_);
  }
  /// Makes the second exec if it is not made yet. If that fails, counts and reports it, and
  /// launches are plain from now on. Does not throw: the program's launch will happen, or its
  /// change has.
  void ensureProfiledExec(Reason reason) noexcept REQUIRES(mutex_);
  Expected<void> makeProfiledExec(ExecLimit::Place place) REQUIRES(mutex_);
  Expected<void> makeFrom(Deferred from, ExecLimit::Place &place) REQUIRES(mutex_);
  /// An exec of the graph, updated from `latest` if that is given, with its buffer; the rest is the
  /// caller's.
  Expected<TimedExec> instantiate(const TimedGraph &timed, const TimedGraph *latest)
      REQUIRES(mutex_);
  /// The exec that records `take`; null if there is none.
  TimedExec *execFor(const Take &take) REQUIRES(mutex_);
  bool makePart(TimedExec &part, const Take &take) REQUIRES(mutex_);
  /// The graph that records `take`, which is not the whole; null if the driver refuses.
  [[nodiscard]] std::shared_ptr<const TimedGraph> graphFor(const Take &take) REQUIRES(mutex_);
  /// What the launch that is about to happen records.
  [[nodiscard]] Take nextTake() REQUIRES(mutex_);
  /// From now on the kernels of the exec run as they are. Counts them, with the reason.
  void loseTwins(ProfiledExec &profiled, std::string_view why) noexcept REQUIRES(mutex_);
  /// The exec that stamps ends; null if there is none.
  TimedExec *execForEnds(ProfiledExec &profiled, const Take &take) REQUIRES(mutex_);
  /// The program is about to change its exec. Returns what times it; null: nothing follows.
  ProfiledExec *changing() noexcept REQUIRES(mutex_);
  void dropParts(ProfiledExec &profiled) noexcept REQUIRES(mutex_);
  /// The exec was updated from the graph that `now` times.
  void twinsFollow(ProfiledExec &profiled, std::shared_ptr<const TimedGraph> now) noexcept
      REQUIRES(mutex_);
  bool follows(const Registry *registry) const REQUIRES(mutex_);
  /// The program updated its exec: updates the second one, too, if it is made. Returns false if the
  /// driver refuses.
  bool updateProfiledExec(const std::shared_ptr<Registry> &registry, bool switched)
      REQUIRES(mutex_);
  /// For an exec that is timed in place: the child node that was `node` in the graph from which the
  /// exec was made; nullopt if there is none. Its range belongs to the graph of the last update.
  [[nodiscard]] std::optional<TimedChild> timedChild(driver::Node node) const REQUIRES(mutex_);
  bool setChildInPlace(driver::Node node, const std::shared_ptr<Registry> &registry)
      REQUIRES(mutex_);
  /// From now on the program's exec, `own`, writes to the buffer of a graph that is timed in place.
  /// A failure if another exec does so, too.
  Expected<void> writeTo(InPlaceExec &inPlaceExec, std::shared_ptr<Registry> registry)
      REQUIRES(mutex_);
  /// Notes and returns the host's time for a launch that is about to happen.
  std::int64_t noteLaunch() REQUIRES(mutex_);
  void launchedTimed(TimedExec &timed, std::uint64_t number, std::uint64_t stream,
                     std::int64_t launchNs, std::int64_t step) noexcept REQUIRES(mutex_);
  internal::Launch launchInPlace(driver::Stream stream, std::uint64_t id, std::uint64_t number,
                                 std::int64_t step, HostLaunch *hostLaunch) REQUIRES(mutex_);

  Services &services_;
  ExecLimit &limit_;
  const driver::Exec plain_;
  const unsigned long long flags_;
  const std::uint64_t number_; // from 1
  const std::shared_ptr<ExecLifetime> lifetime_;

  // Held during the driver's launch.
  alignas(cacheLine) Mutex mutex_;
  // How launches are timed; monostate: not at all.
  std::variant<std::monostate, Deferred, ProfiledExec, InPlaceExec> timed_ GUARDED_BY(mutex_);
  // Of what is timed now, if anything: the profiled exec of the whole graph, or the program's own.
  TimedExec whole_ GUARDED_BY(mutex_);
  RecordingPlan plan_ GUARDED_BY(mutex_);
  Device *device_ GUARDED_BY(mutex_) = nullptr;
  std::vector<HeldKernel> held_ GUARDED_BY(mutex_); // while there are any, launches are not timed
  bool destroyed_ GUARDED_BY(mutex_) = false;

  std::uint64_t launches_ GUARDED_BY(mutex_) = 0;
  // The exec of the last launch; null: no launch yet.
  driver::Exec lastExec_ GUARDED_BY(mutex_) = nullptr;
  // The buffer of that launch, if it was profiled.
  std::shared_ptr<ReplayBuffer> lastBuffer_ GUARDED_BY(mutex_);
  std::uint64_t lastStream_ GUARDED_BY(mutex_) = 0; // id
  // Recorded behind the last plain launch, if plainMarked_.
  driver::Event plainMark_ GUARDED_BY(mutex_) = nullptr;
  bool plainMarked_ GUARDED_BY(mutex_) = false;
  bool changesStreams_ GUARDED_BY(mutex_) = false; // a launch was in another stream than the last

  // All buffers so far that are not retired.
  std::vector<std::shared_ptr<ReplayBuffer>> used_ GUARDED_BY(mutex_);
  std::atomic<std::int64_t> lastLaunchNs_{0}; // or of the second exec's making; set under mutex_

  LaunchedReplays replays_;
  std::atomic<bool> mayHaveUnretired_{false}; // finished() may have something to retire
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_PAIR_H
