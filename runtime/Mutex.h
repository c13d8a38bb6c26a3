// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Locks whose use clang checks (-Wthread-safety, an error in our presets). A member names the mutex
// that guards it; a function names the mutexes that its caller holds. The names come from clang's
// documentation (ThreadSafetyAnalysis) and from leveldb. For other compilers this is std::mutex.
//
// The members say what each mutex guards. docs/internals.md lists all mutexes in the order in which
// they are taken.
//
// The analysis looks at one function at a time, and treats a lambda as a function of its own. A
// lambda that touches guarded data needs REQUIRES, too, or a reference that was taken outside.

#ifndef GRAPHPROF_MUTEX_H
#define GRAPHPROF_MUTEX_H

#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <utility>

#include <pthread.h>

#ifdef __clang__
#define GRAPHPROF_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define GRAPHPROF_THREAD_SAFETY(...)
#endif

/// For a member or static object: touch it only under that mutex.
#define GUARDED_BY(...) GRAPHPROF_THREAD_SAFETY(guarded_by(__VA_ARGS__))
/// For a pointer: the mutex guards what it points to.
#define PT_GUARDED_BY(...) GRAPHPROF_THREAD_SAFETY(pt_guarded_by(__VA_ARGS__))
/// For a mutex: it is taken before this other mutex of the same object.
#define ACQUIRED_BEFORE(...) GRAPHPROF_THREAD_SAFETY(acquired_before(__VA_ARGS__))
/// For a function: its caller holds the mutex, or must not hold it, because the function takes it
/// or calls one that does.
#define REQUIRES(...) GRAPHPROF_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) GRAPHPROF_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
/// For a function that returns a reference to the mutex.
#define RETURN_CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(lock_returned(__VA_ARGS__))
/// Switches the check off. Each use gives its reason.
#define NO_THREAD_SAFETY_ANALYSIS GRAPHPROF_THREAD_SAFETY(no_thread_safety_analysis)

// For the types below.
#define CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(capability(__VA_ARGS__))
#define SCOPED_CAPABILITY GRAPHPROF_THREAD_SAFETY(scoped_lockable)
#define ACQUIRE(...) GRAPHPROF_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GRAPHPROF_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) GRAPHPROF_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define ASSERT_CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(assert_capability(__VA_ARGS__))

namespace graphprof {

/// A mutex. Take it with a MutexLock.
template <class Standard> class CAPABILITY("mutex") BasicMutex {
public:
  BasicMutex() = default;
  BasicMutex(const BasicMutex &) = delete;
  BasicMutex &operator=(const BasicMutex &) = delete;

  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  /// If these return true, let a MutexLock adopt the mutex.
  [[nodiscard]] bool tryLock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  template <class Rep, class Period>
  [[nodiscard]] bool tryLockFor(std::chrono::duration<Rep, Period> patience) TRY_ACQUIRE(true) {
    return mutex_.try_lock_for(patience);
  }
  /// Tells the analysis that this thread holds the mutex.
  void assertHeld() const ASSERT_CAPABILITY(this) {}

private:
  template <class> friend class MutexLock;
  Standard mutex_;
};

using Mutex = BasicMutex<std::mutex>;

/// Holds a mutex until the end of its scope. Can release it earlier and take it again.
///
///     const MutexLock lock(mutex_);
///
///     if (!mutex_.tryLock())
///       return;
///     const MutexLock lock(mutex_, std::adopt_lock);
template <class Standard> class SCOPED_CAPABILITY MutexLock {
public:
  explicit MutexLock(BasicMutex<Standard> &mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  MutexLock(BasicMutex<Standard> &mutex, std::adopt_lock_t adopt) REQUIRES(mutex)
      : lock_(mutex.mutex_, adopt) {}
  ~MutexLock() RELEASE() = default;
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void unlock() RELEASE() { lock_.unlock(); }
  void lock() ACQUIRE() { lock_.lock(); }

private:
  friend class Condition;
  std::unique_lock<Standard> lock_;
};

/// A condition variable. A predicate that reads guarded members needs REQUIRES.
///
/// Not std::condition_variable: its steady clock takes pthread_cond_clockwait, which glibc 2.28
/// does not have, and waits by the time of day where that is missing.
class Condition {
public:
  Condition() noexcept {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  ~Condition() { pthread_cond_destroy(&changed_); }
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  void notifyOne() noexcept { pthread_cond_signal(&changed_); }
  void notifyAll() noexcept { pthread_cond_broadcast(&changed_); }

  template <class Predicate>
  void wait(MutexLock<std::mutex> &lock, Predicate holds) NO_THREAD_SAFETY_ANALYSIS {
    while (!holds())
      pthread_cond_wait(&changed_, lock.lock_.mutex()->native_handle());
  }
  /// Returns whether the predicate is true in the end.
  template <class Rep, class Period, class Predicate>
  bool waitFor(MutexLock<std::mutex> &lock, std::chrono::duration<Rep, Period> patience,
               Predicate holds) NO_THREAD_SAFETY_ANALYSIS {
    using Clock = std::chrono::steady_clock; // CLOCK_MONOTONIC
    constexpr int mostStood = 1000; // wake-ups between which the clock did not move (libfaketime)
    Clock::time_point before = Clock::now();
    const Clock::time_point until = before + patience;
    const timespec deadline = timespecOf(until.time_since_epoch());
    for (int stood = 0; !holds() && before < until && stood < mostStood;) {
      if (pthread_cond_timedwait(&changed_, lock.lock_.mutex()->native_handle(), &deadline) ==
          ETIMEDOUT)
        break;
      const Clock::time_point now = Clock::now();
      stood += now <= before ? 1 : 0;
      before = now;
    }
    return holds();
  }

private:
  static timespec timespecOf(std::chrono::nanoseconds time) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    return {static_cast<std::time_t>(seconds.count()), static_cast<long>((time - seconds).count())};
  }

  pthread_cond_t changed_;
};

/// As std::timed_mutex, which is not taken for the same reason.
class PatientMutex {
public:
  void lock() {
    MutexLock lock(mutex_);
    freed_.wait(lock, [this]() REQUIRES(mutex_) { return !held_; });
    held_ = true;
  }
  [[nodiscard]] bool try_lock() { return try_lock_for(std::chrono::nanoseconds(0)); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> patience) {
    MutexLock lock(mutex_);
    if (!freed_.waitFor(lock, patience, [this]() REQUIRES(mutex_) { return !held_; }))
      return false;
    held_ = true;
    return true;
  }
  void unlock() {
    const MutexLock lock(mutex_);
    held_ = false;
    freed_.notifyOne();
  }

private:
  Mutex mutex_;
  Condition freed_;
  bool held_ GUARDED_BY(mutex_) = false;
};

/// A mutex that can be waited for with a bound, by the steady clock.
using TimedMutex = BasicMutex<PatientMutex>;

} // namespace graphprof

#endif // GRAPHPROF_MUTEX_H
