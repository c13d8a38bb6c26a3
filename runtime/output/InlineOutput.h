// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that is written on the thread that hands on batches: for formats that show each replay
// at once, or that keep what they need until the end.

#ifndef GRAPHPROF_OUTPUT_INLINEOUTPUT_H
#define GRAPHPROF_OUTPUT_INLINEOUTPUT_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "output/BatchWriter.h"
#include "output/Output.h"

namespace graphprof {

/// A writer with a name. Keeps nothing.
class InlineOutput : public Output {
public:
  InlineOutput(std::string name, std::unique_ptr<BatchWriter> writer, Interest wants)
      : Output(std::move(name), wants), writer_(std::move(writer)) {}

  [[nodiscard]] std::string write(const Batch &batch) override { return writer_->write(batch); }
  [[nodiscard]] std::uint64_t dropped() const override { return writer_->dropped(); }
  [[nodiscard]] std::string close(const Losses &losses) override { return writer_->close(losses); }
  [[nodiscard]] std::string written() const override { return writer_->written(); }

private:
  const std::unique_ptr<BatchWriter> writer_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_INLINEOUTPUT_H
