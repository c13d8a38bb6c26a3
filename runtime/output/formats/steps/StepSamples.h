// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long the copies of each step took in total, in TraceML's form: one sample for each step, in
// order, when all of its copies are known. Does not know formats.
//
// Host spans tell how many copies a step made, and how long the program's threads spent in them.
// The records of the same copies arrive later, after the device has made them. A step waits for
// them until the session says that nothing more of it comes (Batch::settledBefore). Files do not
// say so; there, a step is complete one batch after as many records came as spans. What waits is
// bounded.

#ifndef GRAPHPROF_OUTPUT_FORMATS_STEPS_STEPSAMPLES_H
#define GRAPHPROF_OUTPUT_FORMATS_STEPS_STEPSAMPLES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/ById.h"

namespace graphprof {

/// All copies of one kind in a step on one device. A sum in which a part is missing has no number.
struct StepTiming {
  std::int64_t hostNs = 0;   ///< in the program's calls
  std::int64_t deviceNs = 0; ///< on the device
  std::uint64_t calls = 0;
  std::uint64_t lost = 0;     ///< of these calls: those whose time on the device is not known
  std::uint64_t notNoted = 0; ///< of these calls: those whose time on the host is not known
};

struct StepSample {
  std::int64_t step = 0;
  std::int64_t endNs = 0; ///< of the step, since the Unix epoch
  /// By event (TraceML's name) and device; -1: the host.
  std::map<std::string, std::map<int, StepTiming>> events;
};

/// The events as TraceML's JSON: {event: {device: {"is_gpu", "duration_ms", ...}}}. A time is null
/// if a part of it is not known; "n_lost" then says of how many calls. A device's time is never the
/// host's: only on "cpu" is the duration that of the calls.
[[nodiscard]] std::string jsonOf(const StepSample &sample);

/// One thread at a time.
class StepSamples {
public:
  /// At most about `most` steps and sums of copies wait. `told`: batches say of which steps
  /// everything has come.
  explicit StepSamples(std::size_t most, bool told) : most_(most), told_(told) {}

  void add(const Batch &batch);
  /// The samples of the steps of which nothing more comes; and, beyond the bound, of the oldest,
  /// with what is known of them.
  [[nodiscard]] std::vector<StepSample> ready();
  /// All steps that have ended, as far as they are known. Nothing may be added afterwards.
  [[nodiscard]] std::vector<StepSample> rest();
  /// How many records and host spans came after the sample of their step, and are missing in it.
  [[nodiscard]] std::uint64_t dropped() const { return late_; }

private:
  struct Act {
    HostKind kind;
    std::string name;
    bool captured;
  };
  // Of the records of one device.
  struct Made {
    std::uint64_t records = 0, measured = 0;
    std::int64_t ns = 0;
  };
  // Of the host spans with one device; -1: unknown, or the host.
  struct Called {
    std::uint64_t calls = 0;
    std::int64_t ns = 0;
  };
  struct Copies {
    std::map<int, Made> made;
    std::map<int, Called> called;
  };
  struct Step {
    bool ended = false;
    bool wasComplete = false;
    std::int64_t beginNs = 0, endNs = 0;
    std::map<std::string, Copies> copies; // by name
    [[nodiscard]] std::size_t weight() const;
    [[nodiscard]] bool complete() const;
  };

  [[nodiscard]] Step *at(std::int64_t step);
  // Takes the first step, and adds its sample if it has ended.
  void takeFirst(std::vector<StepSample> &samples);
  [[nodiscard]] bool firstIsReady() const;
  [[nodiscard]] static std::map<int, StepTiming> timingsOf(const Copies &copies);
  [[nodiscard]] static StepSample sampleOf(std::int64_t number, const Step &step);

  const std::size_t most_;
  const bool told_;
  ById<std::string> copyNames_; // of regions; empty: not a copy
  ById<Act> acts_;
  std::map<std::int64_t, Step> steps_;
  std::size_t weight_ = 0; // of steps_
  std::int64_t settledBefore_ = 0;
  std::int64_t lastEnded_ = -1;
  std::int64_t given_ = -1; // the last one
  std::uint64_t late_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_STEPS_STEPSAMPLES_H
