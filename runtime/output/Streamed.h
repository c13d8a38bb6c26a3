// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that writes while the program runs, on a thread of its own: a slow disk holds up
// neither the program nor the harvest. What it was given is in its file within 20 ms, or as soon as
// flush() returns, and survives a crash from then on.

#ifndef GRAPHPROF_OUTPUT_STREAMED_H
#define GRAPHPROF_OUTPUT_STREAMED_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "output/BatchWriter.h"
#include "output/Output.h"

namespace graphprof {

/// Hands replays on to a writer, and where it is to, host spans, and allocations and frees. At most
/// `maxRecords` of all wait for it; what is beyond is left out and counted.
class Streamed : public Output {
public:
  /// How long the end waits for a writer that does not get on: a disk that does not answer, a pipe
  /// that nobody reads.
  static constexpr std::chrono::milliseconds defaultPatience{10'000};

  Streamed(std::string name, std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
           std::chrono::milliseconds patience = defaultPatience, bool hostSpans = false,
           bool memory = true);
  ~Streamed() override; ///< writes what it was given

  [[nodiscard]] std::string name() const override { return name_; }
  /// Fails when what was given before could not be written.
  [[nodiscard]] std::string write(const Replay &replay) override;
  [[nodiscard]] bool wantsHostSpans() const override { return hostSpans_; }
  [[nodiscard]] std::string writeHost(std::span<const HostSpan> spans) override;
  [[nodiscard]] std::string memory(const MemoryEvent &event) override;
  [[nodiscard]] std::uint64_t dropped() const override;
  void metadata(const std::string &key, const std::string &json) override;
  void remark(const std::string &sentence) override;
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override;
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  class Queue;

  const std::string name_;
  const bool hostSpans_, memory_;
  const std::shared_ptr<Queue> queue_; // the thread's too: it may have to be left behind
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STREAMED_H
