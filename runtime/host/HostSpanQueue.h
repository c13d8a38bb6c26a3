// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Carries host spans from the thread that notes them to the thread that hands them on, without a
// lock. Does not know outputs or names.

#ifndef GRAPHPROF_HOST_HOSTSPANQUEUE_H
#define GRAPHPROF_HOST_HOSTSPANQUEUE_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CacheLine.h"
#include "graphprof/host_span.h"

namespace graphprof {

/// A thread of the program.
struct HostThread {
  std::uint64_t id; ///< the kernel's number for it
  std::string name;
};

/// A host span as its thread notes it, in little time.
struct HostEvent {
  HostKind kind = HostKind::Region;
  bool captured = false;
  const Site *site = nullptr; ///< interned (SiteTable.h)
  std::string name;           ///< of a mark or a range, which has no site
  std::vector<Value> context;
  std::shared_ptr<const HostThread> thread; ///< null: the thread that pushes it
  std::int64_t beginNs = 0, endNs = 0, step = -1;
  std::uint64_t graph = 0, exec = 0, replay = 0;
  int device = -1; ///< of a copy
};

/// Bounded. One thread pushes; another one takes or looks, one at a time.
class HostSpanQueue {
public:
  explicit HostSpanQueue(std::size_t most) : first_(new Chunk), most_(most), last_(first_) {}
  ~HostSpanQueue() {
    while (first_)
      delete std::exchange(first_, first_->next.load());
  }
  HostSpanQueue(const HostSpanQueue &) = delete;
  HostSpanQueue &operator=(const HostSpanQueue &) = delete;

  enum class Pushed : std::uint8_t {
    Yes,
    Filling, ///< pushed; a chunk is full, so somebody should take the spans
    Full,    ///< not pushed
  };
  Pushed push(HostEvent event) {
    if (pushed_ - taken_.load(std::memory_order_relaxed) >= most_)
      return Pushed::Full;
    std::size_t filled = last_->filled.load(std::memory_order_relaxed);
    if (filled == chunk) {
      auto *const next = new Chunk;
      last_->next.store(next, std::memory_order_release);
      last_ = next;
      filled = 0;
    }
    last_->events[filled] = std::move(event);
    last_->filled.store(filled + 1, std::memory_order_release);
    ++pushed_;
    return filled + 1 == chunk ? Pushed::Filling : Pushed::Yes;
  }

  /// Takes everything, in the order in which it was pushed; or as much as there is memory for.
  /// Returns whether it was everything.
  bool take(std::vector<HostEvent> &into) noexcept {
    std::size_t taken = 0;
    bool all = true;
    for (;;) {
      const std::size_t filled = first_->filled.load(std::memory_order_acquire);
      for (; read_ < filled && hasRoom(into); ++read_, ++taken)
        into.push_back(std::move(first_->events[read_]));
      all = read_ == filled;
      Chunk *const next = read_ == chunk ? first_->next.load(std::memory_order_acquire) : nullptr;
      if (!next)
        break;
      delete std::exchange(first_, next);
      read_ = 0;
    }
    taken_.store(taken_.load(std::memory_order_relaxed) + taken, std::memory_order_relaxed);
    return all;
  }

  /// The end of the oldest waiting span. A thread pushes its spans in the order of their ends.
  [[nodiscard]] std::optional<std::int64_t> oldestEndNs() const {
    const Chunk *at = first_;
    std::size_t read = read_;
    if (read == chunk) {
      at = at->next.load(std::memory_order_acquire);
      read = 0;
    }
    if (!at || read == at->filled.load(std::memory_order_acquire))
      return std::nullopt;
    return at->events[read].endNs;
  }

private:
  static constexpr std::size_t chunk = 256;
  static bool hasRoom(std::vector<HostEvent> &events) noexcept try {
    if (events.size() == events.capacity())
      events.reserve(events.size() + std::max(chunk, events.size()));
    return true;
  } catch (...) {
    return false;
  }
  struct Chunk {
    std::array<HostEvent, chunk> events;
    std::atomic<std::size_t> filled{0};
    std::atomic<Chunk *> next{nullptr};
  };

  // Used by the taker, which frees what it has read.
  Chunk *first_;
  std::size_t read_ = 0; // in the first chunk
  std::atomic<std::uint64_t> taken_{0};
  // Used by the pusher.
  alignas(cacheLine) const std::size_t most_;
  Chunk *last_;
  std::uint64_t pushed_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_HOST_HOSTSPANQUEUE_H
