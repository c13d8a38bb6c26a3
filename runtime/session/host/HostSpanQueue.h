// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How host spans travel: from the thread that notes them to the one that hands them on, without a
// lock. Knows no outputs and no names.

#ifndef GRAPHPROF_SESSION_HOST_HOSTSPANQUEUE_H
#define GRAPHPROF_SESSION_HOST_HOSTSPANQUEUE_H

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

/// A thread of the program's.
struct HostThread {
  std::uint64_t id; ///< the kernel's
  std::string name;
};

/// A host span as its thread notes it: cheaply.
struct HostEvent {
  HostKind kind = HostKind::Region;
  bool captured = false;
  const Site *site = nullptr; ///< a kept one
  std::string name;           ///< of a mark or a range, which have no site
  std::vector<Value> context;
  std::shared_ptr<const HostThread> thread; ///< null: the one that pushes it
  std::int64_t beginNs = 0, endNs = 0, step = -1;
  std::uint64_t graph = 0, exec = 0, replay = 0;
  int device = -1; ///< of a copy
};

/// One thread pushes, and one at a time takes or looks. Bounded.
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
    Filling, ///< yes, and again as many are waiting that somebody should come and take them
    Full,    ///< no
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

  /// Takes all that there is, in the order in which it was pushed; or as much of it as there is
  /// memory for.
  void take(std::vector<HostEvent> &into) noexcept {
    std::size_t taken = 0;
    for (;;) {
      const std::size_t filled = first_->filled.load(std::memory_order_acquire);
      for (; read_ < filled && hasRoom(into); ++read_, ++taken)
        into.push_back(std::move(first_->events[read_]));
      Chunk *const next = read_ == chunk ? first_->next.load(std::memory_order_acquire) : nullptr;
      if (!next)
        break;
      delete std::exchange(first_, next);
      read_ = 0;
    }
    taken_.store(taken_.load(std::memory_order_relaxed) + taken, std::memory_order_relaxed);
  }

  /// When the oldest one that waits ended. A thread's spans end in the order in which they are
  /// pushed.
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

  // The taker's, who frees what it has read
  Chunk *first_;
  std::size_t read_ = 0; // of the first
  std::atomic<std::uint64_t> taken_{0};
  // The pusher's
  alignas(cacheLine) const std::size_t most_;
  Chunk *last_;
  std::uint64_t pushed_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_HOST_HOSTSPANQUEUE_H
