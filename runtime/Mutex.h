// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Locks whose use clang checks (-Wthread-safety, an error in our presets): a member says which
// mutex guards it, a function which ones its caller holds. The words are those of clang's
// documentation (ThreadSafetyAnalysis) and of leveldb. Other compilers see std::mutex and nothing
// else.
//
// What each mutex guards stands with the members, and once in docs/internals.md, with the order in
// which they are taken.
//
// The analysis looks at one function at a time, and takes a lambda for a function of its own: one
// that touches what is guarded says REQUIRES too, or is handed a reference that was taken outside.

#ifndef GRAPHPROF_MUTEX_H
#define GRAPHPROF_MUTEX_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#ifdef __clang__
#define GRAPHPROF_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define GRAPHPROF_THREAD_SAFETY(...)
#endif

/// Of a member or static object: touched under that mutex only.
#define GUARDED_BY(...) GRAPHPROF_THREAD_SAFETY(guarded_by(__VA_ARGS__))
/// Of a pointer: what it points to is.
#define PT_GUARDED_BY(...) GRAPHPROF_THREAD_SAFETY(pt_guarded_by(__VA_ARGS__))
/// Of a mutex, with another of the same object: which one is taken first where both are.
#define ACQUIRED_BEFORE(...) GRAPHPROF_THREAD_SAFETY(acquired_before(__VA_ARGS__))
/// Of a function: its caller holds the mutex; or does not, since the function takes it, or calls
/// somebody who does.
#define REQUIRES(...) GRAPHPROF_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) GRAPHPROF_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
/// Of a function that returns a reference to the mutex.
#define RETURN_CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(lock_returned(__VA_ARGS__))
/// Not checked: each with its reason.
#define NO_THREAD_SAFETY_ANALYSIS GRAPHPROF_THREAD_SAFETY(no_thread_safety_analysis)

// For the types below.
#define CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(capability(__VA_ARGS__))
#define SCOPED_CAPABILITY GRAPHPROF_THREAD_SAFETY(scoped_lockable)
#define ACQUIRE(...) GRAPHPROF_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GRAPHPROF_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) GRAPHPROF_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define ASSERT_CAPABILITY(...) GRAPHPROF_THREAD_SAFETY(assert_capability(__VA_ARGS__))

namespace graphprof {

/// Taken with a MutexLock.
template <class Standard> class CAPABILITY("mutex") BasicMutex {
public:
  BasicMutex() = default;
  BasicMutex(const BasicMutex &) = delete;
  BasicMutex &operator=(const BasicMutex &) = delete;

  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  /// Where these return true, a MutexLock adopts it.
  [[nodiscard]] bool tryLock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  template <class Rep, class Period>
  [[nodiscard]] bool tryLockFor(std::chrono::duration<Rep, Period> patience) TRY_ACQUIRE(true) {
    return mutex_.try_lock_for(patience);
  }
  /// This thread holds it, for a reason that the analysis cannot see.
  void assertHeld() const ASSERT_CAPABILITY(this) {}

private:
  template <class> friend class MutexLock;
  Standard mutex_;
};

using Mutex = BasicMutex<std::mutex>;
using TimedMutex = BasicMutex<std::timed_mutex>;

/// Holds a mutex until its end, or is released before and takes it again:
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

/// A condition variable. What a predicate looks at is guarded by the lock's mutex: it says
/// REQUIRES.
class Condition {
public:
  void notifyOne() noexcept { changed_.notify_one(); }
  void notifyAll() noexcept { changed_.notify_all(); }

  template <class Predicate> void wait(MutexLock<std::mutex> &lock, Predicate holds) {
    changed_.wait(lock.lock_, std::move(holds));
  }
  /// Whether it holds in the end.
  template <class Rep, class Period, class Predicate>
  bool waitFor(MutexLock<std::mutex> &lock, std::chrono::duration<Rep, Period> patience,
               Predicate holds) {
    return changed_.wait_for(lock.lock_, patience, std::move(holds));
  }

private:
  std::condition_variable changed_;
};

} // namespace graphprof

#endif // GRAPHPROF_MUTEX_H
