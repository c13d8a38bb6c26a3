// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that calls a function: graphprof::Profiler attaches it to the session.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
#define GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H

#include <functional>
#include <utility>

#include "output/Output.h"
#include "output/data/BatchView.h"

namespace graphprof {

/// Calls a function for each record, in capture order. An exception of the function is a failure of
/// this output: it is not called again.
class Callback : public Output {
public:
  explicit Callback(std::function<void(const Record &)> function)
      : Output("callback"), function_(std::move(function)) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  void stop() override { stopped_ = true; }
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  const std::function<void(const Record &)> function_;
  BatchView view_;
  bool stopped_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
