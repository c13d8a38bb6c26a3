// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "Thrown.h"
#include "output/MakeOutput.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "output/io/Json.h"
#include "session/CycleName.h"
#include "session/LazyOutput.h"
#include "session/WhyNothing.h"

namespace graphprof {

Session::Session(Config config)
    : Services(std::move(config)),
      outputs(counters, messages, recordingSwitch, this->config().maxRecords) {
  const Config &own = this->config();
  if (!own.enabled)
    return;
  drawings = static_cast<int>(std::count_if(own.outputs.begin(), own.outputs.end(), drawsGraphs));
  structures = static_cast<int>(std::count_if(own.outputs.begin(), own.outputs.end(), keepsGraphs));
  // ScheduledOutputs or Windows makes the outputs, and says when to record.
  if (own.schedule || own.window)
    return;
  bool spans = false;
  for (const std::string &item : own.outputs) {
    std::unique_ptr<Output> output = outputIfRecorded(withCycle(item, 1));
    spans = spans || (output && output->wants().hostSpans);
    if (own.outputsGiven)
      outputs.attach(std::move(output));
    else
      outputs.attachDefaultTable(std::move(output));
  }
  if (own.outputsGiven && !own.outputs.empty())
    recordingSwitch.request(this, {true, true, spans, own.memory});
}

std::unique_ptr<Output> Session::outputOf(std::string_view item) const {
  return makeOutput(item, config().maxRecords, thisRun(),
                    config().hostSpans ? HostSpansFor::All : HostSpansFor::Whole);
}

std::unique_ptr<Output> Session::outputIfRecorded(std::string_view item) {
  std::unique_ptr<Output> output = outputOf(item);
  if (!output || (writesToStderr(item) && !config().underRun && !config().forked))
    return output;
  // Every program that uses CUDA allocates. Under `graphprof run` that alone is no reason for a
  // table.
  return std::make_unique<LazyOutput>(
      std::move(output),
      [this, file = pathOf(item)] {
        if (inUse && !config().underRun && !config().forked)
          say("nothing was recorded: " + file + " is not written: " + whyNothing());
      },
      !config().underRun);
}

std::string Session::whyNothing() const {
  for (const auto &[key, json] : facts())
    if (key == noDriverKey)
      return json.substr(1, json.size() - 2); // a text without escapes
  return graphprof::whyNothing(seen);
}

// The notes and remarks about the whole program.
Batch Session::lastWords() const {
  Batch last;
  if (std::string sentence = allocations.sentence(); !sentence.empty())
    last.remarks.push_back(std::move(sentence));
  for (auto &[key, json] : facts()) {
    last.notes.push_back({key, json});
    if (key == backendKey && json != R"("cuda")" && !config().backend.empty())
      last.remarks.push_back("timed by the backend " + json);
  }
  if (const std::string untimed = untimedExecs(seen); !untimed.empty())
    last.notes.push_back({untimedKey, jsonString(untimed)});
  if (!outputs.anyReplay())
    last.notes.push_back({nothingKey, jsonString(graphprof::whyNothing(seen))});
  return last;
}

void Session::wrote(const std::string &file) {
  if (file.empty())
    return;
  const MutexLock lock(wroteMutex_);
  if (std::find(wrote_.begin(), wrote_.end(), file) == wrote_.end())
    wrote_.push_back(file);
}

void Session::close() noexcept {
  outputs.close([this] { return lastWords(); },
                [this](const Output &output) { wrote(output.written()); });
  (void)survived([&] { // a line that is no loss
    const MutexLock lock(wroteMutex_);
    constexpr std::size_t most = 20; // a schedule may write a file for each cycle
    if (wrote_.size() > most)
      wrote_[most - 1] = fmt::format("{} more", wrote_.size() - most + 1);
    wrote_.resize(std::min(wrote_.size(), most));
    if (!wrote_.empty())
      say(fmt::format("wrote {}", fmt::join(wrote_, ", ")));
    if (const std::string found = findings.sentence(); !found.empty())
      say(found);
  });
}

} // namespace graphprof
