// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/key_averages/AveragesOutput.h"

#include <algorithm>
#include <utility>

#include "output/data/LossText.h"

namespace graphprof {

table_options AveragesOutput::defaults() {
  table_options options;
  options.sort_by = "self_cuda_time_total";
  options.row_limit = -1;
  return options;
}

AveragesOutput::AveragesOutput(std::string name, const std::string &path, table_options options,
                               std::size_t maxRecords, bool hostSpans)
    : name_(std::move(name)), options_(std::move(options)), maxKept_(maxRecords),
      hostSpans_(hostSpans), stream_(path), averages_({}, maxRecords, hostSpans) {}

std::string AveragesOutput::write(const Replay &replay) {
  averages_.add(replay);
  return {};
}

std::string AveragesOutput::writeHost(std::span<const HostSpan> spans) {
  const auto room = spans.first(std::min(spans.size(), maxKept_ - spans_.size()));
  dropped_ += spans.size() - room.size();
  spans_.add(room);
  return {};
}

std::string AveragesOutput::memory(const MemoryEvent &event) {
  averages_.withMemory();
  if (memory_.size() >= maxKept_) {
    ++dropped_;
    return {};
  }
  memory_.push_back(event);
  memory_.back().path = {}; // valid during the call
  return {};
}

void AveragesOutput::metadata(const std::string &key, const std::string &json) {
  if (key == "deviceProperties")
    averages_.peaks(peaksOf(json));
}

std::string AveragesOutput::close(const Losses &losses) {
  spans_.seal();
  averages_.addHost(spans_.spans(), memory_);
  const KeyAverages averages = averages_.finish();
  std::string text = averages.empty() ? "graphprof: nothing was recorded\n"
                                      : Averages::tableOf(averages, options_);
  for (const std::string &sentence : lossSentences(losses))
    text += sentence + '\n';
  const std::string failed = stream_.write(text + remarks_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

} // namespace graphprof
