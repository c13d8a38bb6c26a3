// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Passes on to an output only what was done at certain times: in the cycles of a schedule, in
// windows, during one recording. Does not know who decides.

#ifndef GRAPHPROF_SESSION_GATEDOUTPUT_H
#define GRAPHPROF_SESSION_GATEDOUTPUT_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "output/ForwardingOutput.h"

namespace graphprof {

/// Decides what passes. Asked on the thread that hands on what was recorded, which is later than
/// the times in question. Nanoseconds since the Unix epoch.
class Admission {
public:
  Admission() = default;
  virtual ~Admission() = default;
  Admission(const Admission &) = delete;
  Admission &operator=(const Admission &) = delete;

  /// A launch, an allocation or a free.
  [[nodiscard]] virtual bool admitsDevice(std::int64_t ns) const = 0;
  /// A region of which only the host's time is known.
  [[nodiscard]] virtual bool admitsHost(std::int64_t ns) const = 0;
  /// What a thread did from `beginNs` to `endNs`.
  [[nodiscard]] virtual bool admitsSpan(std::int64_t beginNs, std::int64_t endNs) const = 0;
};

class GatedOutput : public ForwardingOutput {
public:
  GatedOutput(std::unique_ptr<Output> output, std::shared_ptr<const Admission> admission)
      : ForwardingOutput(std::move(output)), admission_(std::move(admission)) {}

  [[nodiscard]] std::string write(const Batch &batch) override;

private:
  [[nodiscard]] std::string writeReplay(const Batch &batch, const Replay &replay);
  [[nodiscard]] std::string writeSpans(const Batch &batch);

  const std::shared_ptr<const Admission> admission_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_GATEDOUTPUT_H
