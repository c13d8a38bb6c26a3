// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that is a function: what graphprof::Profiler attaches to the session.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
#define GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H

#include <functional>
#include <utility>

#include "output/Output.h"

namespace graphprof {

/// Calls a function for each record, in capture order. What the function throws is this output's
/// failure: it is not called again.
class Callback : public Output {
public:
  explicit Callback(std::function<void(const Record &)> function)
      : function_(std::move(function)) {}

  [[nodiscard]] std::string name() const override { return "callback"; }
  /// The records of the session themselves, as it is told: what they point to is the caller's.
  [[nodiscard]] Wants wants() const override { return {.source = true}; }
  [[nodiscard]] std::string write(const Batch &batch) override;
  void stop() override { stopped_ = true; }
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  const std::function<void(const Record &)> function_;
  bool stopped_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
