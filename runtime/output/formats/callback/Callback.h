// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that calls a function of the program's: graphprof::Profiler attaches it to the session.
// The function runs on a thread of its own, so that nothing of graphprof's waits for it and it may
// call everything.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
#define GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "output/ForwardingOutput.h"

namespace graphprof {

/// Calls a function for each record, in capture order. An exception of the function is a failure of
/// this output: `failed` is told it at once, and the function is not called again.
class Callback : public ForwardingOutput {
public:
  /// At most `maxRecords` records wait for the function.
  Callback(std::function<void(const Record &)> function, std::size_t maxRecords,
           std::function<void(const std::string &why)> failed = {});

  /// Returns when the function runs no more, unless this thread is inside it, and it is not called
  /// again.
  void stop() override;
  /// Inside the function nothing is waited for: the program ends there.
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  class Calls;

  Callback(Calls *calls, std::size_t maxRecords); // takes it

  Calls &calls_; // belongs to the output behind this one
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CALLBACK_CALLBACK_H
