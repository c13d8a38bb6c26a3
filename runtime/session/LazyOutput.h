// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output that leaves its file alone if nothing was recorded. Many processes may inherit
// GRAPHPROF_OUTPUT, such as shells and helpers that only link the library.

#ifndef GRAPHPROF_SESSION_LAZYOUTPUT_H
#define GRAPHPROF_SESSION_LAZYOUTPUT_H

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "output/ForwardingOutput.h"
#include "output/data/LossText.h"

namespace graphprof {

/// Passes everything on to `output`, which makes its file at the first replay, host span,
/// allocation or remark, or when it is closed. If it got none of these and nothing was lost, calls
/// `instead` and does not close the output. Remarks count only if `remarksCount`.
class LazyOutput : public ForwardingOutput {
public:
  LazyOutput(std::unique_ptr<Output> output, std::function<void()> instead, bool remarksCount)
      : ForwardingOutput(std::move(output)), instead_(std::move(instead)),
        remarksCount_(remarksCount) {}

  [[nodiscard]] std::string write(const Batch &batch) override {
    given_ = given_ || !batch.launches.empty() || batch.records() > 0 ||
             (remarksCount_ && !batch.remarks.empty());
    if (given_)
      return handOn(batch);
    noted_.insert(noted_.end(), batch.notes.begin(), batch.notes.end());
    return {};
  }
  [[nodiscard]] std::string close(const Losses &losses) override {
    if (!given_ && lossSentences(losses).empty()) {
      instead_();
      return {};
    }
    std::string failed = noted_.empty() ? std::string() : handOn({});
    return failed.empty() ? ForwardingOutput::close(losses) : failed;
  }

private:
  // Passes the notes that came earlier on first.
  std::string handOn(const Batch &batch) {
    if (!noted_.empty()) {
      Batch notes;
      notes.notes = std::exchange(noted_, {});
      if (std::string failed = output().write(notes); !failed.empty())
        return failed;
    }
    return batch.empty() ? std::string() : output().write(batch);
  }

  const std::function<void()> instead_;
  const bool remarksCount_;
  bool given_ = false;
  std::vector<Batch::Note> noted_; // until the output gets something else
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_LAZYOUTPUT_H
