// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/json_lines/JsonLines.h"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/io/Json.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

void member(std::string &out, std::string_view key, std::integral auto number) {
  out += key;
  append(out, number);
}

// Negative: there is none.
void optional(std::string &out, std::string_view key, std::int64_t number) {
  out += key;
  if (number < 0)
    out += "null";
  else
    append(out, number);
}

std::string orNull(std::string_view text) { return text.empty() ? "null" : jsonString(text); }

// Puts a value of several lines into one. In JSON a line end is a blank like any other.
std::string inOneLine(std::string json) {
  std::replace_if(json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

void place(std::string &out, const Replay &replay, std::int64_t device, std::uint64_t stream,
           std::int64_t step) {
  if (replay.exec != 0) {
    member(out, R"("graph":)", replay.graph);
    member(out, R"(,"exec":)", replay.exec);
    member(out, R"(,"replay":)", replay.number);
  } else {
    out += R"("graph":null,"exec":null,"replay":null)";
  }
  optional(out, R"(,"device":)", device);
  member(out, R"(,"stream":)", stream);
  optional(out, R"(,"step":)", step);
}

} // namespace

void JsonLines::begin() {
  if (!std::exchange(begun_, true))
    fmt::format_to(std::back_inserter(text_),
                   R"({{"type":"run","version":1,"host":{},"program":{},"pid":{},"rank":{},)"
                   "\"began_ns\":{}}}\n",
                   jsonString(run_.host), jsonString(run_.program), run_.pid, run_.rank,
                   run_.beganNs);
}

std::string JsonLines::write(const Batch &batch) {
  begin();
  texts_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return fmt::format(R"({{"type":"record","name":{},"path":{},"depth":{},"kind":"{}",)"
                       R"("clock":"{}","source":{},"function":{},"context":{},)",
                       jsonString(region.name), jsonString(region.path), region.depth,
                       word(region.kind), word(region.clock),
                       orNull(sourceOf(region.site, region.kind)),
                       orNull(functionOf(region.site, region.kind)), jsonContext(region.context));
  });
  for (const Batch::Note &note : batch.notes)
    text_ += R"({"type":"metadata","key":)" + jsonString(note.key) + R"(,"value":)" +
             inOneLine(note.json) + "}\n";
  for (const Batch::Launch &launch : batch.launches) {
    if (launch.replay.exec != 0)
      add(launch.replay);
    for (const Batch::Timing &timing : batch.timingsOf(launch))
      add(launch.replay, timing);
  }
  acts_.take(batch.actsFrom, batch.acts, [](const Batch::Act &act) {
    return fmt::format(R"({{"type":"host_span","kind":"{}","name":{},"captured":{},"source":{},)"
                       R"("function":{},"context":{},)",
                       word(act.kind), jsonString(act.name), act.captured,
                       orNull(sourceOf(act.site, Kind::Region)),
                       orNull(functionOf(act.site, Kind::Region)), jsonContext(act.context));
  });
  threads_.take(batch.threadsFrom, batch.threads, [](const Batch::Thread &thread) {
    return fmt::format(R"("thread":{},"thread_name":{})", thread.number, orNull(thread.name));
  });
  for (const Batch::Span &span : batch.spans)
    add(span);
  for (const Batch::Memory &memory : batch.memory)
    add(memory);
  for (const std::string &remark : batch.remarks)
    text_ += R"({"type":"remark","text":)" + jsonString(remark) + "}\n";
  std::string failed = stream_.write(text_);
  text_.clear();
  return failed;
}

void JsonLines::add(const Batch::Span &span) {
  text_ += acts_.of(span.act);
  text_ += threads_.of(span.thread);
  optional(text_, R"(,"step":)", span.step);
  if (span.exec != 0) {
    member(text_, R"(,"graph":)", span.graph);
    member(text_, R"(,"exec":)", span.exec);
    member(text_, R"(,"replay":)", span.replay);
  } else {
    text_ += R"(,"graph":null,"exec":null,"replay":null)";
  }
  if (span.bytes != 0)
    member(text_, R"(,"bytes":)", span.bytes);
  else
    text_ += R"(,"bytes":null)";
  member(text_, R"(,"begin_ns":)", span.beginNs);
  member(text_, R"(,"duration_ns":)", span.endNs - span.beginNs);
  text_ += "}\n";
}

void JsonLines::add(const Batch::Memory &memory) {
  const MemoryEvent &event = memory.event;
  text_ += fmt::format(R"({{"type":"memory","kind":"{}")", word(event.kind));
  optional(text_, R"(,"device":)", event.device);
  member(text_, R"(,"bytes":)", event.bytes);
  member(text_, R"(,"allocated":)", event.allocated);
  text_ += fmt::format(R"(,"address":"{:#x}")", event.address);
  member(text_, R"(,"time_ns":)", event.timeNs);
  optional(text_, R"(,"step":)", event.step);
  text_ += R"(,"path":)" + orNull(memory.path) + "}\n";
}

void JsonLines::add(const Replay &replay) {
  text_ += R"({"type":"replay",)";
  place(text_, replay, replay.device, replay.stream, replay.step);
  text_ += replay.cold ? R"(,"cold":true)" : R"(,"cold":false)";
  optional(text_, R"(,"launch_ns":)", replay.launchNs > 0 ? replay.launchNs : -1);
  optional(text_, R"(,"begin_ns":)", replay.spanKnown() ? replay.beginNs : -1);
  optional(text_, R"(,"end_ns":)", replay.spanKnown() ? replay.endNs : -1);
  text_ += "}\n";
}

void JsonLines::add(const Replay &replay, const Batch::Timing &timing) {
  text_ += texts_.of(timing.region);
  place(text_, replay, timing.device, timing.stream, timing.step);
  optional(text_, R"(,"iteration":)", timing.iteration);
  text_ += replay.cold ? R"(,"cold":true)" : R"(,"cold":false)";
  optional(text_, R"(,"begin_ns":)", timing.durationNs >= 0 ? timing.beginNs : -1);
  optional(text_, R"(,"duration_ns":)", timing.durationNs);
  text_.append(R"(,"ends":")").append(word(timing.ends)).append("\"}\n");
}

std::string JsonLines::close(const Losses &losses) {
  begin();
  for (const LossKind &kind : lossKinds())
    if (const std::uint64_t count = losses.*kind.count)
      text_ += fmt::format(R"({{"type":"loss","kind":"{}","count":{},"text":{}}})", kind.key, count,
                           jsonString(lossSentence(kind, count))) +
               '\n';
  text_ += "{\"type\":\"end\"}\n";
  std::string failed = stream_.write(text_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

namespace {} // namespace

constinit const Format formats::jsonLines = {
    .endings = {".jsonl"},
    .items = "PATH.jsonl",
    .hostSpans = ShowsHostSpans::OnRequest,
    .showsMemory = true,
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<JsonLines>(settings.path, settings.run);
    },
};

} // namespace graphprof
