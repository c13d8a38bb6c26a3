// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The simulated device: all live objects and the one lock. API functions enter through call() in
// Call.h, which holds the lock; everything else here runs under it. There is one device, leaked on
// purpose, because programs call CUDA from static destructors.

#ifndef CUDASIM_SRC_DEVICE_H
#define CUDASIM_SRC_DEVICE_H

#include "Array.h"
#include "Capture.h"
#include "Clock.h"
#include "Conditional.h"
#include "Context.h"
#include "Kernel.h"
#include "L2.h"
#include "Memory.h"
#include "MemoryLeft.h"
#include "Stream.h"
#include "VirtualMemory.h"
#include "cudasim/cudasim.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct CUgraphExec_st;
struct CUlib_st;
struct CUuserObject_st;

namespace cudasim {

// The live objects of one kind, by handle. Detects stale handles without following them.
template <typename T> class Handles {
public:
  T *add(std::shared_ptr<T> object) {
    T *handle = object.get();
    ended_.erase(handle);
    live_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<T> find(const T *handle) const {
    auto at = live_.find(const_cast<T *>(handle));
    return at == live_.end() ? nullptr : at->second;
  }
  T *get(const T *handle) const { return find(handle).get(); }
  bool remove(T *handle) {
    auto at = live_.find(handle);
    if (at == live_.end())
      return false;
    std::shared_ptr<T> last = std::move(at->second);
    live_.erase(at);
    return true;
  }
  void clear() {
    auto last = std::move(live_);
    live_.clear();
    for (const auto &[handle, object] : last)
      cleared_.insert(handle);
  }
  // For contexts that end, and objects that end with them.
  void removeForGood(T *handle) {
    ended_.insert(handle);
    remove(handle);
  }
  template <typename Is> void removeForGoodIf(Is &&is) {
    std::vector<T *> gone;
    for (const auto &[handle, object] : live_)
      if (is(*object))
        gone.push_back(handle);
    for (T *const handle : gone)
      removeForGood(handle);
  }
  // Whether clear() removed the handle, and it was not given out again.
  bool wasCleared(T *handle) const { return cleared_.contains(handle) && !live_.contains(handle); }
  // Where a driver would follow a handle that ended, the process ends.
  void refuseEnded(const T *handle, const char *function) const {
    if (!ended_.contains(const_cast<T *>(handle)))
      return;
    std::fprintf(stderr, "cudasim: %s with a handle that ended with its context\n", function);
    std::abort();
  }
  template <typename F> void forEach(F &&f) const {
    for (const auto &[handle, object] : live_)
      f(*object);
  }

private:
  std::unordered_map<T *, std::shared_ptr<T>> live_;
  std::unordered_set<T *> cleared_, ended_;
};

// The device's lock. Recursive, because a launch with a conditional node runs the kernels before it
// at once, and their host functions may call cudasim.h. No std::recursive_mutex, which knows its
// owner by the thread's number: that is another in a child, which could not unlock it.
class DeviceLock {
public:
  void lock() {
    if (depth()++ == 0)
      mutex_.lock();
  }
  void unlock() {
    if (--depth() == 0)
      mutex_.unlock();
  }

private:
  static int &depth() {
    thread_local int depth = 0;
    return depth;
  }
  std::mutex mutex_;
};

struct Device {
  static constexpr std::uint64_t kDefaultCallCostNs = 200;

  Device();

  // The stream of a handle, which may be a default stream's special handle. Null for a stale
  // handle.
  CUstream_st *stream(cudaStream_t handle);
  CUstream_st &perThreadStream();
  bool usesPerThreadStreams() const { return !perThreadStreams.empty(); }
  template <typename F> void forEachStream(F &&f) {
    streams.forEach(f);
    for (const auto &stream : perThreadStreams)
      f(*stream);
  }

  unsigned long long nextId() { return ++lastId_; }
  // The id of the primary context. It changes with every reset.
  [[nodiscard]] unsigned long long contextId() const { return epoch_; }
  // For a green context.
  unsigned long long nextContextId() { return 1ULL << 32 | nextId(); }
  void note(std::string_view name, unsigned long long stream, std::uint64_t startNs,
            std::uint64_t endNs);

  // Counts a call, charges its cost, and returns its injected failure, if any.
  cudaError_t enter(std::string_view function);

  // Destroys what the program made, for cudaDeviceReset, but for what is in a context of its own
  // making. reset() also removes the test's settings.
  void destroyObjects();
  // Destroys the streams, events and execs of contexts that end.
  void endWith(const std::function<bool(const CUctx_st *)> &ends);
  void reset();

  DeviceLock lock;
  Clock clock;
  std::uint64_t callCostNs = kDefaultCallCostNs;
  std::uint64_t launchGapNs = 0; // from a node's end to the begin of a kernel behind it

  Handles<CUgreenCtx_st> greenContexts;
  Handles<CUctx_st> createdContexts;
  unsigned primaryRetains = 0; // the runtime's is not counted
  Handles<CUstream_st> streams;
  std::vector<std::shared_ptr<CUstream_st>> perThreadStreams;
  CUstream_st legacyStream;
  std::uint64_t orphanTailNs = 0; // when the work of destroyed streams ends
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs; // graphs that the program owns; not child graphs
  std::unordered_set<const CUgraphNode_st *>
      nodes; // nodes of graphs that are visible to the program
  // Graphs in child nodes and conditional nodes that are visible to the program.
  std::unordered_set<const CUgraph_st *> childGraphs;
  Handles<CUgraphExec_st> execs;
  Handles<CUlib_st> libraries;
  Handles<CUuserObject_st> userObjects;
  Handles<CUarray_st> arrays; // with the levels of mipmapped arrays
  Handles<CUmipmappedArray_st> mipmaps;
  std::vector<std::shared_ptr<Capture>> captures; // open captures
  ConditionalValues conditionals;
  KernelTable kernels;
  Memory memory;
  L2 l2;
  std::function<std::uint64_t(std::uint64_t ns)> smCyclesAt; // empty: the highest clock
  std::size_t allMemory;                                     // of which memoryTaken() is taken
  GraphPool graphPool;
  VirtualMemory virtualMemory; // belongs to no context, so it survives cudaDeviceReset

  // Effects of this call on memory, and callbacks. Run in order after the lock is released.
  std::vector<std::function<void()>> effects;
  // Of work on the device that begins at `beginNs`. Waits if a kernel is held before it.
  void addEffect(std::uint64_t beginNs, std::function<void()> effect) {
    (beginNs >= heldFromNs ? held : effects).push_back(std::move(effect));
  }
  // What waits for a held kernel (cudasim::hold).
  std::string heldKernel;
  std::uint64_t heldFromNs = ~std::uint64_t{0};
  std::vector<std::function<void()>> held;

  struct Order {
    unsigned remaining;
    int error;
  };
  std::multimap<std::string, Order, std::less<>> failures;
  std::map<std::string, unsigned, std::less<>> callCounts;
  bool recording = false;
  std::vector<Executed> executed;
  bool initialised = false; // by cuInit or any runtime call

  // Whether the calling thread has used the runtime API, which makes the primary context current.
  bool &runtimeUsed();

private:
  unsigned long long lastId_ = 0;
  unsigned long long epoch_ = 1;
};

Device &device();

} // namespace cudasim

#endif // CUDASIM_SRC_DEVICE_H
