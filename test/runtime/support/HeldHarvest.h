// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Holds up the harvest: a Profiler's function does not, because it runs on a thread of its own.

#ifndef GRAPHPROF_TEST_SUPPORT_HELDHARVEST_H
#define GRAPHPROF_TEST_SUPPORT_HELDHARVEST_H

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "graphprof/graphprof.h"
#include "output/Output.h"
#include "output/data/BatchView.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof::test {

/// Calls a function for each record, on the thread that hands records to the outputs.
class HeldHarvest {
public:
  explicit HeldHarvest(std::function<void(const Record &)> function)
      : output_(process().session.outputs.attach(std::make_unique<Calls>(std::move(function)))) {
    process().session.recordingSwitch.request(output_, {.device = true, .host = true});
  }
  ~HeldHarvest() {
    flush();
    process().session.recordingSwitch.withdraw(output_);
    process().session.outputs.detach(output_);
  }
  HeldHarvest(const HeldHarvest &) = delete;
  HeldHarvest &operator=(const HeldHarvest &) = delete;

  bool flush() { return graphprof::flush(); }

private:
  class Calls : public Output {
  public:
    explicit Calls(std::function<void(const Record &)> function)
        : Output("calls"), function_(std::move(function)) {}
    [[nodiscard]] std::string write(const Batch &batch) override {
      view_.take(batch);
      for (const Batch::Launch &launch : batch.launches)
        for (const Batch::Timing &timing : batch.timingsOf(launch))
          function_(view_.record(launch.replay, timing));
      return {};
    }
    [[nodiscard]] std::string close(const Losses & /*losses*/) override { return {}; }

  private:
    const std::function<void(const Record &)> function_;
    BatchView view_;
  };

  Output *output_;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_HELDHARVEST_H
