// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How often each graph was launched, recorded or not. Counted only while somebody may ask (the
// control socket), so that it costs nothing otherwise. Of a fixed size.

#ifndef GRAPHPROF_SERVICES_LAUNCHCOUNTS_H
#define GRAPHPROF_SERVICES_LAUNCHCOUNTS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "CacheLine.h"
#include "Thrown.h"
#include "services/SiteTable.h"

namespace graphprof {

/// Any thread may call any member. Counts are exact. Those of single graphs are kept for `most`
/// graphs, those that are launched first; the launches of others are counted together.
class LaunchCounts {
public:
  static constexpr std::size_t most = 512;

  void countFromNowOn() noexcept { on_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool on() const noexcept { return on_.load(std::memory_order_relaxed); }

  /// A launch of an exec of `graph`, by number. `name`: what the graph serves; null: it has no
  /// name.
  void note(std::uint64_t graph, const std::string *name) noexcept {
    if (on())
      ++countOf(graph, name);
  }
  /// A launch of an exec that has nothing to time.
  void noteUntimed() noexcept {
    if (on())
      ++untimed_;
  }

  /// A replay was recorded, and handed on.
  void noteRecorded() noexcept { ++recorded_; }
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }

  struct OfGraph {
    std::uint64_t graph, count;
    std::string_view name; ///< never freed; empty: it has none
  };
  /// Each graph that has a count of its own. One that comes just now may be left out.
  [[nodiscard]] std::vector<OfGraph> graphs() const {
    std::vector<OfGraph> all;
    for (const Slot &slot : slots_)
      if (const char *const name = slot.name.load())
        all.push_back({slot.graph.load(), slot.count.load(), name});
    return all;
  }
  /// Launches of timed execs of graphs without a count of their own.
  [[nodiscard]] std::uint64_t others() const noexcept { return others_; }
  [[nodiscard]] std::uint64_t untimed() const noexcept { return untimed_; }
  /// All launches.
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = others_ + untimed_;
    for (const Slot &slot : slots_)
      sum += slot.count;
    return sum;
  }

private:
  struct alignas(cacheLine) Slot {
    std::atomic<std::uint64_t> graph{0}, count{0};
    std::atomic<const char *> name{nullptr}; // interned, so at most `most` are kept; null: not yet
  };

  // A graph's slot is the first one from its number on that was free when it came.
  std::atomic<std::uint64_t> &countOf(std::uint64_t graph, const std::string *name) noexcept {
    constexpr std::size_t tries = 8;
    for (std::size_t i = 0; graph != 0 && i < tries; ++i) {
      Slot &slot = slots_[(graph + i) % most];
      std::uint64_t holder = slot.graph.load(std::memory_order_relaxed);
      if (holder == 0 && slot.graph.compare_exchange_strong(holder, graph)) {
        slot.name.store(kept(name));
        return slot.count;
      }
      if (holder == graph)
        return slot.count;
    }
    return others_;
  }

  // Without memory the graph goes by its number.
  static const char *kept(const std::string *name) noexcept {
    const char *text = nullptr;
    if (!survived([&] { text = internText(name ? name->c_str() : ""); }))
      return "";
    return text;
  }

  std::atomic<bool> on_{false};
  std::atomic<std::uint64_t> others_{0}, untimed_{0}, recorded_{0};
  std::array<Slot, most> slots_;
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_LAUNCHCOUNTS_H
