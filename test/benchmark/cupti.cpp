// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with CUPTI's activity records. CUPTI is found at run time. A region is read from the end
// of the work before it to the end of its own work, and from the begin of its work to the begin of
// the next, because CUPTI's kernel times alone leave out the gaps between kernels.

#include "technique.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include <cupti.h>
#include <dlfcn.h>

#include "check.h"
#include "statistics.h"

namespace benchmark {
namespace {

/// The begin and end of a node, in ns.
struct Span {
  std::uint64_t beginNs, endNs;
};

/// The part of CUPTI that is needed, and the records. There is one in the process, attached from
/// its construction on.
class Cupti {
public:
  static Cupti &get() {
    static auto *cupti =
        new Cupti; // leaked, because CUPTI's thread may use it until the process ends
    return *cupti;
  }

  void switchOn() {
    takeSpans();
    for (CUpti_ActivityKind kind : kinds)
      check(enable_(kind), "cuptiActivityEnable");
  }

  void switchOff() {
    for (CUpti_ActivityKind kind : kinds)
      check(disable_(kind), "cuptiActivityDisable");
  }

  /// The nodes that ran since switchOn(), in order of their begin.
  std::vector<Span> takeSpans() {
    check(flushAll_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    std::vector<Span> spans;
    {
      const std::lock_guard lock(mutex_);
      spans.swap(spans_);
    }
    std::sort(spans.begin(), spans.end(),
              [](const Span &a, const Span &b) { return a.beginNs < b.beginNs; });
    return spans;
  }

private:
  static constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                 CUPTI_ACTIVITY_KIND_MEMSET};
  static constexpr std::size_t bufferBytes = 8 << 20;

  Cupti() {
    library_ = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library_)
      throw std::runtime_error(std::string("no CUPTI: ") + dlerror());
    find("cuptiActivityEnable", enable_);
    find("cuptiActivityDisable", disable_);
    find("cuptiActivityFlushAll", flushAll_);
    find("cuptiActivityGetNextRecord", nextRecord_);
    decltype(&cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
    find("cuptiActivityRegisterCallbacks", registerCallbacks);
    self_ = this;
    check(registerCallbacks(&giveBuffer, &takeBuffer), "cuptiActivityRegisterCallbacks");
    switchOn();
    switchOff();
  }

  template <class Function> void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (!function)
      throw std::runtime_error(std::string("CUPTI lacks ") + name);
  }

  static void check(CUptiResult result, const char *call) {
    if (result != CUPTI_SUCCESS)
      throw std::runtime_error(std::string(call) + ": CUPTI result " + std::to_string(result));
  }

  static void CUPTIAPI giveBuffer(std::uint8_t **buffer, std::size_t *size,
                                  std::size_t *maxRecords) {
    *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, bufferBytes));
    *size = bufferBytes;
    *maxRecords = 0;
  }

  // Called on CUPTI's thread, or on the one that flushes.
  static void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t *buffer, std::size_t,
                                  std::size_t validSize) {
    Cupti &cupti = *self_;
    CUpti_Activity *record = nullptr;
    const std::lock_guard lock(cupti.mutex_);
    while (cupti.nextRecord_(buffer, validSize, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
        cupti.spans_.push_back({kernel->start, kernel->end});
      } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const auto *memset = reinterpret_cast<const CUpti_ActivityMemset4 *>(record);
        cupti.spans_.push_back({memset->start, memset->end});
      }
    }
    std::free(buffer);
  }

  static inline Cupti *self_ = nullptr; // CUPTI's callbacks have no user data
  void *library_ = nullptr;
  decltype(&cuptiActivityEnable) enable_ = nullptr;
  decltype(&cuptiActivityDisable) disable_ = nullptr;
  decltype(&cuptiActivityFlushAll) flushAll_ = nullptr;
  decltype(&cuptiActivityGetNextRecord) nextRecord_ = nullptr;
  std::mutex mutex_;
  std::vector<Span> spans_; // guarded by mutex_
};

class CuptiActivity : public Technique {
public:
  CuptiActivity() : Technique("CUPTI kernel activity"), cupti_(Cupti::get()) {}

  void switchOn() override { cupti_.switchOn(); }
  void switchOff() override { cupti_.switchOff(); }

  // CUPTI delays all nodes alike, and reads begin and end in hardware.
  Reference reference() const override { return Reference::LessShareOfNode; }

  std::vector<std::vector<double>> readings(int launches) override {
    const std::vector<Span> spans = cupti_.takeSpans();
    ofBegins_.clear();
    const std::vector<std::size_t> &counts = workNodes();
    const std::size_t perReplay = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (spans.size() != perReplay * launches)
      throw std::runtime_error("CUPTI recorded " + std::to_string(spans.size()) + " nodes of " +
                               std::to_string(perReplay * launches));
    const double gapUs = medianGapUs(spans, perReplay);
    std::vector<std::vector<double>> rows;
    for (auto replay = spans.begin(); replay != spans.end(); replay += perReplay) {
      rows.push_back(readReplay(replay, counts));
      ofBegins_.push_back(readBegins(replay, counts, gapUs));
    }
    return rows;
  }

  std::vector<std::vector<double>> readingsOfBegins() override { return std::move(ofBegins_); }

private:
  // The workloads' nodes run one after another, so the order of time is the order of creation.
  static std::vector<double> readReplay(std::vector<Span>::const_iterator node,
                                        const std::vector<std::size_t> &counts) {
    std::vector<double> us;
    std::uint64_t beginNs = node->beginNs;
    for (const std::size_t count : counts) {
      node += count;
      const std::uint64_t endNs = node[-1].endNs;
      us.push_back(1e-3 * static_cast<double>(endNs - beginNs));
      beginNs = endNs;
    }
    return us;
  }

  // Nothing follows the last region, so the usual gap between nodes is added to its end.
  static std::vector<double> readBegins(std::vector<Span>::const_iterator node,
                                        const std::vector<std::size_t> &counts, double gapUs) {
    std::vector<double> us;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::uint64_t beginNs = node->beginNs;
      node += counts[i];
      const bool isLast = i + 1 == counts.size();
      us.push_back(1e-3 * static_cast<double>((isLast ? node[-1].endNs : node->beginNs) - beginNs) +
                   (isLast ? gapUs : 0));
    }
    return us;
  }

  // The median time from the end of a node to the begin of the next, over all replays; 0 if there
  // is none.
  static double medianGapUs(const std::vector<Span> &spans, std::size_t perReplay) {
    std::vector<double> us;
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (i % perReplay != 0)
        us.push_back(1e-3 * (static_cast<double>(spans[i].beginNs) -
                             static_cast<double>(spans[i - 1].endNs)));
    return us.empty() ? 0 : median(us);
  }

  Cupti &cupti_;
  std::vector<std::vector<double>> ofBegins_;
};

} // namespace

std::unique_ptr<Technique> makeCupti() { return std::make_unique<CuptiActivity>(); }

} // namespace benchmark
