// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long the copies of each step took in total, in TraceML's form: one sample for each step, in
// order, when all of its copies are known. Does not know formats.
//
// Host spans tell how many copies a step made, and how long the program's threads spent in them.
// The records of the same copies arrive later, after the device has made them. Threads push in any
// order, so a step counts as complete one batch later.

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

/// All copies of one kind in a step on one device.
struct StepTiming {
  std::int64_t hostNs = 0;   ///< in the program's calls
  std::int64_t deviceNs = 0; ///< on the device, as far as it was measured
  std::uint64_t calls = 0;
  bool onDevice = false; ///< deviceNs was measured
};

struct StepSample {
  std::int64_t step = 0;
  std::int64_t endNs = 0; ///< of the step, since the Unix epoch
  /// By event (TraceML's name) and device ("cuda:0", "cpu").
  std::map<std::string, std::map<std::string, StepTiming>> events;
};

/// The events as TraceML's JSON: {event: {device: {"is_gpu", "duration_ms", ...}}}.
[[nodiscard]] std::string jsonOf(const StepSample &sample);

/// One thread at a time.
class StepSamples {
public:
  void add(const Batch &batch);
  /// The complete samples. If a step's records do not arrive until `patience` later steps have
  /// ended, it is given up, without device times.
  [[nodiscard]] std::vector<StepSample> ready() { return take(false); }
  /// All steps that have ended, as far as they are known. Nothing may be added afterwards.
  [[nodiscard]] std::vector<StepSample> rest() { return take(true); }

  static constexpr std::size_t patience = 64;

private:
  struct Act {
    HostKind kind;
    std::string name;
    bool captured;
  };
  struct Step {
    bool ended = false;
    bool wasComplete = false;
    std::int64_t beginNs = 0, endNs = 0;
    std::uint64_t spans = 0, records = 0;
    struct Copies {
      std::map<int, StepTiming> devices; // from the records; the number of calls is from the spans
      std::map<int, StepTiming> threads; // from the spans, by device
    };
    std::map<std::string, Copies> copies; // by name
    [[nodiscard]] bool complete() const { return ended && records >= spans; }
  };

  std::vector<StepSample> take(bool all);
  [[nodiscard]] Step *at(std::int64_t step);
  [[nodiscard]] static StepSample sampleOf(std::int64_t number, const Step &step);

  ById<std::string> copyNames_; // of regions; empty: not a copy
  ById<Act> acts_;
  std::map<std::int64_t, Step> steps_;
  std::size_t ended_ = 0;   // how many of steps_
  std::int64_t given_ = -1; // the last one
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_STEPS_STEPSAMPLES_H
