// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output in front of another one: it has the other's name and interest, and passes everything
// on. What is in front for a reason derives from it, and overrides what it does differently.

#ifndef GRAPHPROF_OUTPUT_FORWARDINGOUTPUT_H
#define GRAPHPROF_OUTPUT_FORWARDINGOUTPUT_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "output/Output.h"

namespace graphprof {

class ForwardingOutput : public Output {
public:
  explicit ForwardingOutput(std::shared_ptr<Output> output)
      : Output(output->name(), output->wants()), output_(std::move(output)) {}

  [[nodiscard]] std::string write(const Batch &batch) override { return output_->write(batch); }
  [[nodiscard]] std::uint64_t dropped() const override { return output_->dropped(); }
  void stop() override { output_->stop(); }
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override { return output_->flush(timeoutMs); }
  [[nodiscard]] std::string close(const Losses &losses) override { return output_->close(losses); }
  [[nodiscard]] std::string written() const override { return output_->written(); }

protected:
  [[nodiscard]] Output &output() { return *output_; }

private:
  const std::shared_ptr<Output> output_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORWARDINGOUTPUT_H
