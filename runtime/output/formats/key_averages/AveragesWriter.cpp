// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/key_averages/AveragesWriter.h"

#include <utility>

#include "output/data/LossText.h"
#include "output/io/Text.h"

namespace graphprof {

table_options AveragesWriter::defaults() {
  table_options options;
  options.sort_by = "self_cuda_time_total";
  options.row_limit = -1;
  return options;
}

AveragesWriter::AveragesWriter(const std::string &path, table_options options,
                               std::size_t maxRecords, bool hostSpans)
    : options_(std::move(options)), maxKept_(maxRecords), file_(path, Existing::KeepForeign),
      averages_({}, maxRecords, hostSpans) {}

std::string AveragesWriter::write(const Batch &batch) {
  view_.take(batch);
  for (const Batch::Launch &launch : batch.launches)
    averages_.add(view_.replay(batch, launch));
  for (const Batch::Span &span : batch.spans) {
    if (kept_.spans().size() >= maxKept_) {
      ++dropped_;
      continue;
    }
    kept_.add(view_, span);
  }
  for (const Batch::Memory &memory : batch.memory) {
    averages_.withMemory();
    if (kept_.memory().size() < maxKept_)
      kept_.add(memory.event);
    else
      ++dropped_;
  }
  for (const Batch::Note &note : batch.notes) {
    if (note.key == "deviceProperties")
      averages_.peaks(peaksOf(note.json));
    notRecorded_.take(note.key, note.json);
  }
  for (const std::string &remark : batch.remarks)
    remarks_ += printable(remark) + '\n';
  return {};
}

std::string AveragesWriter::close(const Losses &losses) {
  kept_.seal();
  averages_.addHost(kept_.spans(), kept_.memory());
  const KeyAverages averages = averages_.finish();
  std::string text = averages.empty() ? "graphprof: " + printable(notRecorded_.nothing()) + '\n'
                                      : Averages::tableOf(averages, options_);
  if (!averages.empty() && !notRecorded_.below().empty())
    text += printable(notRecorded_.below()) + '\n';
  Losses all = losses;
  all.dropped += dropped_;
  for (const std::string &sentence : lossSentences(all))
    text += sentence + '\n';
  return file_.writeOnce(text + remarks_);
}

} // namespace graphprof
