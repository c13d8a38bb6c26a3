// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The pair: the program's own exec (plain) and the profiled one made beside it. It decides which of
// the two a launch takes, keeps their launches in order, and repeats what the program does to its
// exec. Of a graph that is timed in place the two are one. What becomes of the replays that were
// launched is LaunchedReplays' business.
//
//   timed by   | a launch takes           | leaves it by
//   -----------+--------------------------+----------------------------------------------------------
//   Waiting    | plain                    | needSecond() (a launch that is recorded, or a change of
//              |                          | the exec), drop(), destroy()
//   SecondExec | profiled while recording | makeRoom(), drop() (a change could not be repeated),
//              |                          | destroy()
//   OwnExec    | the one that there is    | drop(), destroy()
//   nothing    | plain                    | update() from a graph with regions
//
// A profiled exec costs the device memory, and most programs have many execs that they never launch
// while graphprof records: so it is made late (Waiting), of a graph that was rebuilt in time.
//
// Destroyed, no launches come: it is retired once every launched replay is harvested.
//
// Threads and races:
// - Program threads call everything but harvest(), under the pair's lock, which is held across the
//   driver's launch so that launch order and sequence order are one.
// - The harvest thread takes another lock, to copy the notes of what was launched; no CUDA call
//   is made under it. Launches can be long, and neither side waits for the other. Reading the ring
//   is lock-free.
// - Two execs of ours must not overlap or reorder where two launches of the one user exec would
//   not: a launch that takes another exec than the last one, in another stream, waits on the device
//   for the last one. Behind a profiled launch there is a mark to wait for; behind a plain one
//   there is none, so a switch from plain goes through one more plain launch with an event behind
//   it.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PAIR_H
#define GRAPHPROF_GRAPH_LAUNCH_PAIR_H

#include <atomic>
#include <memory>
#include <optional>
#include <variant>

#include "CacheLine.h"
#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "cuda/Occupancy.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/LaunchedReplays.h"
#include "graph/launch/Lifeline.h"
#include "graph/launch/PairAnswers.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class Session;

/// A launch as the host saw it. Times are the host's, nanoseconds since the Unix epoch.
struct HostLaunch {
  std::uint64_t graph = 0, exec = 0, number = 0; ///< as in its records
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0; ///< when the driver's call returned; 0: it was not made, or failed
};

class Pair : public std::enable_shared_from_this<Pair> {
public:
  /// What is known of the launches of an exec before it has a pair.
  enum class Past : std::uint8_t { New, MayRun };
  /// For the program's exec made with `flags`, which holds `line`; null: nothing tells when it
  /// goes.
  Pair(driver::Exec plain, unsigned long long flags, Past past, std::shared_ptr<Lifeline> line);
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;

  /// Whether the program's exec is gone, destroyed unseen or not: its handle may be another's.
  [[nodiscard]] bool isGone() const noexcept { return line_ && line_->isCut(); }
  [[nodiscard]] const std::shared_ptr<Lifeline> &line() const { return line_; }

  /// From now on the profiled exec is that of `registry`, made when it is needed. False where there
  /// can be none; then `why` says why and launches stay plain. `switched`: nodes of the program's
  /// exec were enabled or disabled.
  bool make(std::shared_ptr<Registry> registry, std::string &why, bool switched) EXCLUDES(mutex_);

  /// Says in `*shown` what it was, where that is not null; of one into a capture, which CUDA
  /// refuses, nothing.
  detail::Launch launch(driver::Stream stream, std::int64_t step, Session &session,
                        HostLaunch *shown) EXCLUDES(mutex_);
  void launchedPlain(driver::Stream stream) EXCLUDES(mutex_);

  /// The program updated its exec from the graph of `registry` (null: one without regions). False
  /// where the profiled exec can neither follow nor be another.
  bool update(std::shared_ptr<Registry> registry, std::string &why, bool switched) EXCLUDES(mutex_);
  void upload(driver::Stream stream, const Session &session) EXCLUDES(mutex_);
  [[nodiscard]] detail::Twin twin(driver::Node node) EXCLUDES(mutex_);
  /// The program changed a node of its exec, and the twin was changed alike: `kernel` is what a
  /// kernel node runs now, null where that is not known.
  void nodeChanged(driver::Node node, const char *kernel) EXCLUDES(mutex_);
  /// The program gives a kernel node of its exec another function or grid. Where that leaves no
  /// room for a stamp at its begin, the stamp's times are lost from now on; where it does again,
  /// they are read again.
  void kernelChanging(driver::Node node, const driver::Grid &grid) EXCLUDES(mutex_);
  /// A child node of the program's exec got a copy of `child`, whose registry that is; null: it has
  /// no regions. False where the profiled exec cannot follow, or, timed in place, the child is not
  /// timed any more.
  bool setChild(driver::Node node, driver::Graph child, const std::shared_ptr<Registry> &registry)
      EXCLUDES(mutex_);
  [[nodiscard]] bool isTimedInPlace() EXCLUDES(mutex_);
  /// A child node of the exec, which is timed in place, is about to get a graph with these timing
  /// nodes.
  void bindChild(driver::Node node, std::span<const driver::Node> timing) EXCLUDES(mutex_);
  /// The profiled exec no longer does what the program's does: from now on launches are plain.
  /// Returns whether there was one.
  bool drop() noexcept EXCLUDES(mutex_);
  /// A change of the program's exec was not followed: launches are plain from now on; and where it
  /// is timed in place, nobody reads what it writes.
  void distrust() noexcept EXCLUDES(mutex_);
  /// The program destroys its exec.
  void destroy() noexcept EXCLUDES(mutex_);

  /// The host's time of the newest recorded launch, or when the profiled exec was made.
  [[nodiscard]] std::int64_t lastLaunchNs() const noexcept {
    return lastLaunchNs_.load(std::memory_order_relaxed);
  }
  /// Another pair needs the place of the profiled exec (ExecLimit): that goes, where its last
  /// launch was before. It is made again when it is needed again; `evenEdited`: also one that
  /// cannot be. Its replays stay. False where it does not go, or a thread is at the pair just now.
  bool makeRoom(std::int64_t launchedBeforeNs, bool evenEdited) noexcept EXCLUDES(mutex_);

  /// Hands every finished replay to the session, in launch order. Returns how many launched replays
  /// are still out.
  std::size_t harvest(Session &session) { return replays_.harvest(session); }
  /// Destroyed and nothing out: nothing more will come from this pair.
  [[nodiscard]] bool finished() EXCLUDES(mutex_);
  /// How many launched replays are still out.
  [[nodiscard]] std::size_t outstanding();
  /// Is a recorded replay out that was launched before `hostNs`, or may be? That time has passed.
  [[nodiscard]] bool outBefore(std::int64_t hostNs) EXCLUDES(mutex_);
  /// The number of the graph that is timed; 0: none is.
  [[nodiscard]] std::uint64_t graph() EXCLUDES(mutex_);
  /// Gives up on what is still out, at exit; returns how many. Not beside harvest().
  std::size_t abandon() { return replays_.abandon(); }
  /// The program has destroyed its exec, and too many such wait for the harvest: where everything
  /// has finished, what was not read is counted and the rings go back. Returns how many replays
  /// that were; nullopt where it cannot be now. Not on the harvest thread.
  std::optional<std::size_t> giveUp(Session &session) EXCLUDES(mutex_);

private:
  /// An exec of a rebuilt graph, which is not made yet.
  struct Waiting {
    std::shared_ptr<Registry> registry; ///< it is made from: keeps the nodes of twins alive
    std::shared_ptr<Registry> latest;   ///< and then updated from; null: from none
  };
  /// One that is made.
  struct SecondExec {
    driver::Exec exec;
    Waiting from;                            ///< `latest` only where it may have to be made again
    std::shared_ptr<const RegionTable> made; ///< the registry's table
    ExecLimit::Place place;
    bool isEdited = false; ///< it is not what is made of `from` any more
  };
  /// What it is needed for: a launch, which the program's exec can make instead, or a change.
  enum class Need : std::uint8_t { Launch, Change };
  /// The program's own writes the times: its graph is timed in place.
  struct OwnExec {
    std::shared_ptr<Registry> registry; ///< it was made from
    std::shared_ptr<Registry> writer;   ///< whose buffer it writes to: of the last update
  };

  /// What shows a node of the program's; null where nothing does.
  [[nodiscard]] const Region *shownAs(driver::Node node) const REQUIRES(mutex_);
  static bool launchExec(driver::Exec exec, driver::Stream stream, HostLaunch *shown);
  detail::Launch launchPlain(driver::Stream stream, std::uint64_t id, bool mark, HostLaunch *shown)
      REQUIRES(mutex_);
  bool markPlain(driver::Stream stream) noexcept REQUIRES(mutex_);
  /// With nothing out: gives back the buffers of profiled execs that are gone.
  void retireUsed() REQUIRES(mutex_);
  /// Where a launch of the profiled exec writes its times.
  const std::shared_ptr<const TimesSource> &source() REQUIRES(mutex_);
  /// The buffer is given up: not before what the newest launch writes to it is there.
  void keepUntilRead() noexcept REQUIRES(mutex_);
  void forgetProfiled() noexcept REQUIRES(mutex_);
  [[nodiscard]] const SecondExec *second() const REQUIRES(mutex_) {
    return std::get_if<SecondExec>(&timed_);
  }
  [[nodiscard]] const OwnExec *own() const REQUIRES(mutex_) {
    return std::get_if<OwnExec>(&timed_);
  }
  [[nodiscard]] bool isTimed() const REQUIRES(mutex_) {
    return !std::holds_alternative<std::monostate>(timed_);
  }
  [[nodiscard]] bool isWaiting() const REQUIRES(mutex_) {
    return std::holds_alternative<Waiting>(timed_);
  }
  /// Makes the second exec where it is not made yet. Where that fails, launches are plain from now
  /// on, counted and said. Throws nothing: the program's launch happens, its change has.
  void needSecond(Need need) noexcept REQUIRES(mutex_);
  bool makeSecond(ExecLimit::Place place, std::string &why) REQUIRES(mutex_);
  bool makeFrom(Waiting from, ExecLimit::Place &place, std::string &why) REQUIRES(mutex_);
  bool follows(const Registry *registry) const REQUIRES(mutex_);
  /// The program updated its exec: so is the second one, where it is made. False where the driver
  /// refuses.
  bool updateSecond(const std::shared_ptr<Registry> &registry, bool switched) REQUIRES(mutex_);
  /// Of an exec that is timed in place, its child node that was `node` in the graph that the exec
  /// was made of; nullopt where there is none. Its range is in the graph that it was updated from.
  [[nodiscard]] std::optional<TimedChild> timedChild(driver::Node node) const REQUIRES(mutex_);
  bool setChildInPlace(driver::Node node, const std::shared_ptr<Registry> &registry)
      REQUIRES(mutex_);
  /// From now on the program's exec, `own`, writes to the buffer of a graph that is timed in place.
  /// False where another exec does so too.
  bool writeTo(OwnExec &own, std::shared_ptr<Registry> registry, std::string &why) REQUIRES(mutex_);
  /// The host's time, now, for a launch that is about to happen.
  std::int64_t noteLaunch() REQUIRES(mutex_);
  void launchedTimed(std::uint64_t number, std::uint64_t stream, std::int64_t launchNs,
                     std::int64_t step, Session &session) noexcept REQUIRES(mutex_);
  detail::Launch launchOwn(driver::Stream stream, std::uint64_t id, std::uint64_t number,
                           std::int64_t step, Session &session, HostLaunch *shown) REQUIRES(mutex_);

  const driver::Exec plain_;
  const unsigned long long flags_;
  const std::uint64_t number_; // running number, from 1
  const std::shared_ptr<Lifeline> line_;

  // Held across the driver's launch.
  alignas(cacheLine) Mutex mutex_;
  // how launches are timed; none: they are not
  std::variant<std::monostate, Waiting, SecondExec, OwnExec> timed_ GUARDED_BY(mutex_);
  // of what is timed now, where it is
  std::shared_ptr<const RegionTable> table_ GUARDED_BY(mutex_);
  std::shared_ptr<ReplayBuffer> buffer_ GUARDED_BY(mutex_);
  // of these, once something was launched
  std::shared_ptr<const TimesSource> source_ GUARDED_BY(mutex_);
  Device *device_ GUARDED_BY(mutex_) = nullptr;
  bool cold_ GUARDED_BY(mutex_) = true;
  bool crowdedOut_ GUARDED_BY(mutex_) = false; // with an exec that cannot be made again
  bool unread_ GUARDED_BY(mutex_) = false; // the newest launch wrote times that nobody asked for
  bool destroyed_ GUARDED_BY(mutex_) = false;

  std::uint64_t launches_ GUARDED_BY(mutex_) = 0;
  // what the last launch took; null: none yet
  driver::Exec lastExec_ GUARDED_BY(mutex_) = nullptr;
  // of that launch, if it was profiled
  std::shared_ptr<ReplayBuffer> lastBuffer_ GUARDED_BY(mutex_);
  std::uint64_t lastStream_ GUARDED_BY(mutex_) = 0; // id
  // behind the last plain launch, where plainMarked_
  driver::Event plainMark_ GUARDED_BY(mutex_) = nullptr;
  bool plainMarked_ GUARDED_BY(mutex_) = false;

  // every buffer that ever was, until retired
  std::vector<std::shared_ptr<ReplayBuffer>> used_ GUARDED_BY(mutex_);
  std::atomic<std::int64_t> lastLaunchNs_{0}; // or of the second exec's making; set under mutex_

  LaunchedReplays replays_;
  std::atomic<bool> leftOver_{false}; // finished() may have something to retire
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_PAIR_H
