// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that writes while the program runs, on a thread of its own: a slow disk delays neither
// the program nor the harvest. Data is in its file within 20 ms, or when flush() returns, and
// survives a crash from then on.

#ifndef GRAPHPROF_OUTPUT_STREAMED_H
#define GRAPHPROF_OUTPUT_STREAMED_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "output/BatchWriter.h"
#include "output/Output.h"

namespace graphprof {

/// Hands batches to a writer. At most `maxRecords` records, host spans, allocations and frees wait
/// for it. More is left out and counted; a replay is left out as a whole.
class Streamed : public Output {
public:
  struct Manner {
    /// How long the end waits for a writer that makes no progress: a disk that does not answer, a
    /// pipe that nobody reads.
    std::chrono::milliseconds patience{10'000};
    /// What it says of such a writer.
    const char *stuck = "it accepts no more data; check its disk or reader";
    /// How long the first data waits for more, so that files are written in larger pieces and the
    /// thread wakes less often.
    std::chrono::milliseconds linger{20};
    /// Without a thread, data is written by flush() and close() only, not by write().
    bool onlyAtFlush = false;
  };

  Streamed(std::string name, std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
           Interest wants, Manner manner);
  Streamed(std::string name, std::unique_ptr<BatchWriter> writer, std::size_t maxRecords,
           Interest wants = {})
      : Streamed(std::move(name), std::move(writer), maxRecords, wants, Manner()) {}
  /// Writes what it got. On its own thread, which the writer is on, that is done after the writer
  /// returns.
  ~Streamed() override;

  /// Returns a failure if earlier data could not be written. If the batch has nothing to count,
  /// close() returns it instead.
  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::uint64_t dropped() const override;
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override;

private:
  class Queue;

  const std::shared_ptr<Queue> queue_; // shared with the thread, which may have to be abandoned
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STREAMED_H
