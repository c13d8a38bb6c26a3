// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The pair: the program's own exec (plain) and the profiled one made beside it. It decides which of
// the two a launch takes, keeps their launches in order, repeats what the program does to its exec,
// and turns finished replays into records. Of a graph that is timed in place the two are one.
//
//   state of the profiled exec | a launch takes           | leaves it by
//   ---------------------------+--------------------------+------------------------------------------
//   present                    | profiled while recording | drop() (a change that could not be
//                              |                          | repeated), destroy()
//   in place                   | the one that there is    | the same
//   absent                     | plain                    | update() from a graph with regions
//   destroyed                  | (no launches come)       | retired once every launched replay is
//                              |                          | harvested
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

#ifndef GRAPHPROF_GRAPH_PAIR_H
#define GRAPHPROF_GRAPH_PAIR_H

#include <atomic>
#include <memory>
#include <mutex>

#include "CacheLine.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/Lifeline.h"
#include "graph/Notes.h"
#include "graph/PairAnswers.h"
#include "graph/Readings.h"
#include "graph/Registry.h"

namespace graphprof {

class Session;

/// A launch as the host saw it. Times are the host's, nanoseconds since the Unix epoch.
struct HostLaunch {
  std::uint64_t graph = 0, exec = 0, number = 0; ///< as in its records
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0; ///< when the driver's call returned; 0: it was not made, or failed
};

class Pair {
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

  /// Makes the profiled exec from `registry`. False where that failed; then `why` says why and
  /// launches stay plain. `switched`: nodes of the program's exec were enabled or disabled.
  bool make(std::shared_ptr<Registry> registry, std::string &why, bool switched);

  /// Says in `*shown` what it was, where that is not null; of one into a capture, which CUDA
  /// refuses, nothing.
  detail::Launch launch(driver::Stream stream, std::int64_t step, Session &session,
                        HostLaunch *shown);
  void launchedPlain(driver::Stream stream);

  /// The program updated its exec from the graph of `registry` (null: one without regions). False
  /// where the profiled exec could neither follow nor be made anew.
  bool update(std::shared_ptr<Registry> registry, std::string &why, bool switched);
  void upload(driver::Stream stream);
  [[nodiscard]] detail::Twin twin(driver::Node node);
  /// The program changed a node of its exec, and the twin was changed alike: `kernel` is what a
  /// kernel node runs now, null where that is not known.
  void nodeChanged(driver::Node node, const char *kernel);
  /// A child node of the program's exec got a copy of `child`, whose registry that is; null: it has
  /// no regions. False where the profiled exec cannot follow, or, timed in place, the child is not
  /// timed any more.
  bool setChild(driver::Node node, driver::Graph child, const std::shared_ptr<Registry> &registry);
  [[nodiscard]] bool isTimedInPlace();
  /// A child node of the exec, which is timed in place, is about to get a graph with these timing
  /// nodes.
  void bindChild(driver::Node node, std::span<const driver::Node> timing);
  /// The profiled exec no longer does what the program's does: from now on launches are plain.
  /// Returns whether there was one.
  bool drop() noexcept;
  /// A change of the program's exec was not followed: launches are plain from now on; and where it
  /// is timed in place, nobody reads what it writes.
  void distrust() noexcept;
  /// The program destroys its exec.
  void destroy() noexcept;

  /// Hands every finished replay to the session, in launch order. Returns how many launched replays
  /// are still out.
  std::size_t harvest(Session &session);
  /// Destroyed and nothing out: nothing more will come from this pair.
  [[nodiscard]] bool finished();
  /// How many launched replays are still out.
  [[nodiscard]] std::size_t outstanding();
  /// Is a recorded replay out that was launched before `hostNs`, or may be? That time has passed.
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// The number of the graph that is timed; 0: none is.
  [[nodiscard]] std::uint64_t graph();
  /// Gives up on what is still out, at exit; returns how many. Not beside harvest().
  std::size_t abandon();
  /// The program has destroyed its exec, and too many such wait for the harvest: where everything
  /// has finished, what was not read is counted and the rings go back. Returns how many replays
  /// that were; nullopt where it cannot be now. Not on the harvest thread.
  std::optional<std::size_t> giveUp(Session &session);

private:
  /// What shows a node of the program's; null where nothing does.
  [[nodiscard]] const Region *shownAs(driver::Node node) const;
  static bool launchExec(driver::Exec exec, driver::Stream stream, HostLaunch *shown);
  detail::Launch launchPlain(driver::Stream stream, std::uint64_t id, bool mark, HostLaunch *shown);
  bool markPlain(driver::Stream stream) noexcept;
  /// Under mutex_, with nothing out: gives back the buffers of profiled execs that are gone.
  void retireUsed();
  /// Where a launch of the profiled exec writes its times.
  const std::shared_ptr<const TimesSource> &source();
  /// The buffer is given up: not before what the newest launch writes to it is there.
  void keepUntilRead() noexcept;
  void forgetProfiled() noexcept;
  [[nodiscard]] bool isInPlace() const { return profiled_ && profiled_ == plain_; }
  /// Of an exec that is timed in place, its child node that was `node` in the graph that the exec
  /// was made of; null where there is none. Its range is in the graph that it was updated from.
  [[nodiscard]] const TimedChild *timedChild(driver::Node node) const;
  bool setChildInPlace(driver::Node node, const std::shared_ptr<Registry> &registry);
  /// From now on the program's exec writes to the buffer of a graph that is timed in place. False
  /// where another exec does so too.
  bool writeTo(std::shared_ptr<Registry> registry, std::string &why);
  /// The host's time, now, for a launch that is about to happen.
  std::int64_t noteLaunch();
  void launchedTimed(std::uint64_t number, std::uint64_t stream, std::int64_t launchNs,
                     std::int64_t step, Session &session) noexcept;
  detail::Launch launchInPlace(driver::Stream stream, std::uint64_t id, std::uint64_t number,
                               std::int64_t step, Session &session, HostLaunch *shown);
  /// Hands on what the launch wrote; false, and nothing, where it has not finished.
  bool harvest(const Note &note, const TimesSource &source, Session &session);
  void tryToConsume(const Note &note, const TimesSource &source, Session &session) noexcept;
  void consume(const Note &note, const TimesSource &source, Session &session);

  const driver::Exec plain_;
  const unsigned long long flags_;
  const std::uint64_t number_; // running number, from 1
  const std::shared_ptr<Lifeline> line_;

  // Guards all below, down to used_; held across the driver's launch.
  alignas(cacheLine) std::mutex mutex_;
  driver::Exec profiled_ = nullptr;
  std::shared_ptr<Registry>
      registry_; // where the profiled exec came from: keeps the nodes of twins alive
  std::shared_ptr<Registry> writer_; // in place: whose buffer it is
  std::shared_ptr<const RegionTable> table_;
  std::shared_ptr<const RegionTable> made_; // table_, as it was when the profiled exec was made
  std::shared_ptr<ReplayBuffer> buffer_;
  std::shared_ptr<const TimesSource> source_; // of these, once something was launched
  Device *device_ = nullptr;
  bool cold_ = true;
  bool unread_ = false; // the newest launch wrote times that nobody asked for
  bool destroyed_ = false;

  std::uint64_t launches_ = 0;
  driver::Exec lastExec_ = nullptr;          // what the last launch took; null: none yet
  std::shared_ptr<ReplayBuffer> lastBuffer_; // of that launch, if it was profiled
  std::uint64_t lastStream_ = 0;             // id
  driver::Event plainMark_ = nullptr;        // behind the last plain launch, where plainMarked_
  bool plainMarked_ = false;

  std::vector<std::shared_ptr<ReplayBuffer>> used_; // every buffer that ever was, until retired
  std::atomic<std::int64_t> lastLaunchNs_{0};       // set under mutex_

  // The harvest thread's, under harvestMutex_
  alignas(cacheLine) std::mutex harvestMutex_; // before mutex_
  WarmBodies warmBodies_;
  std::vector<std::int64_t> times_; // of one replay
  std::vector<Iterations> ran_;

  std::atomic<bool> leftOver_{false}; // finished() may have something to retire

  Notes out_; // launched and not harvested, in order
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_PAIR_H
