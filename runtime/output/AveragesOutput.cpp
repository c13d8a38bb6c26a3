// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/AveragesOutput.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "output/LossText.h"

namespace graphprof {

AveragesOutput::AveragesOutput(const std::string &path, std::size_t maxRecords)
    : name_(path.empty() ? "key_averages" : "key_averages:" + path), maxSpans_(maxRecords),
      stream_(path), averages_({}, maxRecords, true) {}

std::string AveragesOutput::write(const Replay &replay) {
  averages_.add(replay);
  return {};
}

std::string AveragesOutput::writeHost(std::span<const HostSpan> spans) {
  for (const HostSpan &span : spans) {
    if (spans_.size() == maxSpans_) {
      ++dropped_;
      continue;
    }
    Kept &kept = spans_.emplace_back(
        Kept{span, std::string(span.name), {span.context, span.context + span.contextSize}});
    kept.span.name = kept.name;
    kept.span.context = kept.context.data();
    kept.span.threadName = {};
  }
  return {};
}

void AveragesOutput::metadata(const std::string &key, const std::string &json) {
  if (key == "deviceProperties")
    averages_.peaks(peaksOf(json));
}

std::string AveragesOutput::close(const Losses &losses) {
  std::vector<HostSpan> spans;
  spans.reserve(spans_.size());
  for (const Kept &kept : spans_)
    spans.push_back(kept.span);
  std::sort(spans.begin(), spans.end(), [](const HostSpan &left, const HostSpan &right) {
    return std::tuple(left.thread, left.beginNs, -left.endNs) <
           std::tuple(right.thread, right.beginNs, -right.endNs);
  });
  averages_.addHost(spans);
  const KeyAverages averages = averages_.finish();
  table_options options;
  options.sort_by = "self_cuda_time_total";
  options.row_limit = -1;
  std::string text =
      averages.empty() ? "graphprof: nothing was recorded\n" : averages.table(options);
  for (const std::string &sentence : lossSentences(losses))
    text += sentence + '\n';
  const std::string failed = stream_.write(text + remarks_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

} // namespace graphprof
