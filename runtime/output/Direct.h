// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that is written by the thread that hands replays on: for a format that shows each
// replay at once, or keeps what it needs until its end.

#ifndef GRAPHPROF_OUTPUT_DIRECT_H
#define GRAPHPROF_OUTPUT_DIRECT_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "output/BatchWriter.h"
#include "output/Output.h"
#include "output/data/Batch.h"

namespace graphprof {

/// Hands each replay on to a writer as a batch, and where it is to, host spans, and allocations and
/// frees. Keeps nothing but the regions that it has seen.
class Direct : public Output {
public:
  Direct(std::string name, std::unique_ptr<BatchWriter> writer, bool hostSpans = false,
         bool memory = false);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string write(const Replay &replay) override;
  [[nodiscard]] bool wantsHostSpans() const override { return hostSpans_; }
  [[nodiscard]] std::string writeHost(std::span<const HostSpan> spans) override;
  [[nodiscard]] std::string memory(const MemoryEvent &event) override;
  [[nodiscard]] std::uint64_t dropped() const override { return writer_->dropped(); }
  /// Reaches the writer with what comes next, or at the end.
  void metadata(const std::string &key, const std::string &json) override;
  void remark(const std::string &sentence) override;
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  [[nodiscard]] std::string handOn();

  const std::string name_;
  const std::unique_ptr<BatchWriter> writer_;
  const bool hostSpans_, memory_;
  Batcher batcher_;
  Batch batch_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DIRECT_H
