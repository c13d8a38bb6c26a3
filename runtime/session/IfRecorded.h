// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output whose file is left alone where nothing was recorded: many processes may have the
// environment of one, shells and helpers that only link the library among them.

#ifndef GRAPHPROF_SESSION_IFRECORDED_H
#define GRAPHPROF_SESSION_IFRECORDED_H

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "output/Output.h"
#include "output/data/LossText.h"

namespace graphprof {

/// Hands everything on to `output`, which is not closed where it was given no replay, host span,
/// allocation or remark, and nothing was lost: `instead` is called then. Outputs make their files
/// at the first of those, or when they are closed.
class IfRecorded : public Output {
public:
  IfRecorded(std::unique_ptr<Output> output, std::function<void()> instead)
      : output_(std::move(output)), instead_(std::move(instead)) {}

  [[nodiscard]] std::string name() const override { return output_->name(); }
  [[nodiscard]] std::string write(const Replay &replay) override {
    given_ = true;
    return output_->write(replay);
  }
  [[nodiscard]] bool wantsHostSpans() const override { return output_->wantsHostSpans(); }
  [[nodiscard]] std::string writeHost(std::span<const HostSpan> spans) override {
    given_ = given_ || !spans.empty();
    return output_->writeHost(spans);
  }
  [[nodiscard]] std::string memory(const MemoryEvent &event) override {
    given_ = true;
    return output_->memory(event);
  }
  [[nodiscard]] std::uint64_t dropped() const override { return output_->dropped(); }
  void stop() override { output_->stop(); }
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override { return output_->flush(timeoutMs); }
  void metadata(const std::string &key, const std::string &json) override {
    output_->metadata(key, json);
  }
  void remark(const std::string &sentence) override {
    given_ = true;
    output_->remark(sentence);
  }
  [[nodiscard]] std::string close(const Losses &losses) override {
    if (given_ || !lossSentences(losses).empty())
      return output_->close(losses);
    instead_();
    return {};
  }

private:
  const std::unique_ptr<Output> output_;
  const std::function<void()> instead_;
  bool given_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_IFRECORDED_H
