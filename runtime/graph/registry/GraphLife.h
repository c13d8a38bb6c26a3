// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long the program can name the nodes of its graph, and what is kept no longer than that. A
// rebuilt graph holds the user objects of the program's, so what keeps it for a node's sake alone
// must let it go when the program destroys its graph: that is when the objects are released without
// graphprof. Knows no registry's contents, and makes no CUDA call itself.
//
// Threads: any thread may call any member. What is let go is destroyed under no lock of these.

#ifndef GRAPHPROF_GRAPH_REGISTRY_GRAPHLIFE_H
#define GRAPHPROF_GRAPH_REGISTRY_GRAPHLIFE_H

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "Mutex.h"

namespace graphprof {

class Registry;

/// A registry that an exec keeps.
class KeptRegistry {
public:
  explicit KeptRegistry(std::shared_ptr<Registry> registry) : registry_(std::move(registry)) {}

  /// Null once it was let go.
  [[nodiscard]] std::shared_ptr<Registry> get() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return registry_;
  }
  void letGo() EXCLUDES(mutex_) {
    std::shared_ptr<Registry> last; // goes without the lock
    const MutexLock lock(mutex_);
    last.swap(registry_);
  }

private:
  mutable Mutex mutex_;
  std::shared_ptr<Registry> registry_ GUARDED_BY(mutex_);
};

/// Of one graph of the program. All registries that it gets one after the other share it.
class GraphLife {
public:
  [[nodiscard]] bool isDestroyed() const noexcept { return isDestroyed_; }

  /// `kept` goes when the program destroys the graph: now, if it has.
  void keepUntilDestroyed(const std::shared_ptr<KeptRegistry> &kept) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (!isDestroyed_) {
        std::erase_if(kept_, [](const auto &one) { return one.expired(); });
        kept_.push_back(kept);
        return;
      }
    }
    kept->letGo();
  }

  /// The program destroys the graph, so it names none of its nodes any more.
  void destroyed() noexcept EXCLUDES(mutex_) {
    std::vector<std::weak_ptr<KeptRegistry>> all;
    {
      const MutexLock lock(mutex_);
      isDestroyed_ = true;
      all.swap(kept_);
    }
    for (const auto &one : all)
      if (const auto kept = one.lock())
        kept->letGo();
  }

private:
  std::atomic<bool> isDestroyed_{false}; // set under mutex_
  Mutex mutex_;
  std::vector<std::weak_ptr<KeptRegistry>> kept_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_GRAPHLIFE_H
