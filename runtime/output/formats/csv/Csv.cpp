// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/csv/Csv.h"

#include <utility>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/io/Json.h"
#include "output/io/Text.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

constexpr std::string_view header =
    "name,path,depth,kind,clock,device,stream,graph,exec,replay,iteration,step,cold,begin_ns,"
    "duration_ns,ends,source,function,context,busy_ns,gap_ns,busy_replays,gap_cause,graph_name\n";

// Negative: there is none.
void field(std::string &out, std::int64_t number) {
  if (number >= 0)
    append(out, number);
  out += ',';
}

} // namespace

std::string csvField(std::string_view raw) {
  std::string text = utf8(raw);
  // A spreadsheet would take the cell for a formula, and run what it says.
  constexpr std::string_view formula = "=+-@\t\r";
  if (!text.empty() && formula.find(text.front()) != std::string_view::npos)
    text.insert(text.begin(), '\'');
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"')
      quoted += '"';
  }
  return quoted += '"';
}

void Csv::begin() {
  if (!std::exchange(begun_, true))
    text_ = header;
}

std::string Csv::write(const Batch &batch) {
  begin();
  texts_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    Texts texts;
    for (const std::string_view name :
         {std::string_view(region.name), std::string_view(region.path)})
      texts.first += csvField(name) + ',';
    field(texts.first, region.depth);
    texts.first.append(word(region.kind)).append(",").append(word(region.clock)).append(",");
    texts.last = csvField(sourceOf(region.site, region.kind)) + ',' +
                 csvField(functionOf(region.site, region.kind)) + ',' +
                 (region.context.empty() ? "" : csvField(jsonContext(region.context))) + ',';
    return texts;
  });
  for (const Batch::Launch &launch : batch.launches)
    for (const Batch::Timing &timing : batch.timingsOf(launch))
      add(launch, timing);
  std::string failed = stream_.write(text_);
  text_.clear();
  return failed;
}

void Csv::add(const Batch::Launch &launch, const Batch::Timing &timing) {
  const Texts &texts = texts_.of(timing.region);
  const Replay &replay = launch.replay;
  text_ += texts.first;
  field(text_, timing.device);
  append(text_, timing.stream);
  text_ += ',';
  if (replay.exec != 0) {
    append(text_, replay.graph);
    text_ += ',';
    append(text_, replay.exec);
    text_ += ',';
    append(text_, replay.number);
    text_ += ',';
  } else {
    text_ += ",,,";
  }
  field(text_, timing.iteration);
  field(text_, timing.step);
  text_ += replay.cold ? "1," : "0,";
  field(text_, timing.durationNs >= 0 ? timing.beginNs : -1);
  field(text_, timing.durationNs);
  text_.append(word(timing.ends)).append(",");
  text_ += texts.last;
  field(text_, timing.busy.ns);
  field(text_, timing.busy.gapNs);
  field(text_, timing.busy.isKnown() ? std::int64_t{timing.busy.replays} : -1);
  text_.append(word(timing.busy.cause)) += ',';
  if (replay.serves)
    text_ += csvField(replay.serves->text);
  text_ += '\n';
}

std::string Csv::close(const Losses &losses) {
  begin();
  for (const std::string &sentence : lossSentences(losses)) {
    text_ += csvField(sentence) + ",,,loss";
    text_.append(20, ',') += '\n';
  }
  std::string failed = stream_.write(text_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

// A line is a record, so host spans have no place here.
constinit const Format formats::csv = {
    .endings = {".csv"},
    .items = "PATH.csv",
    .wrote = [](std::string_view head) { return head.starts_with("name,path,depth,kind,clock,"); },
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Csv>(settings.path);
    },
};

} // namespace graphprof
