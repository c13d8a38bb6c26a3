// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Session.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <sys/auxv.h>

#include "output/MakeOutput.h"
#include "output/data/Run.h"
#include "output/io/File.h"
#include "output/io/Json.h"
#include "session/CycleName.h"
#include "session/IfRecorded.h"
#include "session/Name.h"

namespace graphprof {

namespace {

// The session of this process. Leaked; so is the one that a forked child inherits.
std::atomic<Session *> current{nullptr};

Session &firstOfProcess() noexcept {
  static Session *const session = []() noexcept {
    alignas(Session) static std::array<std::byte, sizeof(Session)> memory;
    try {
      if (getauxval(AT_SECURE) != 0) { // a setuid program: its environment is another user's
        Config off;
        off.enabled = false;
        return new (memory.data()) Session(std::move(off));
      }
      return new (memory.data()) Session(readConfig(
          [](const char *name) -> const char * { return secure_getenv(name); }, environ));
    } catch (...) {
      writeError("graphprof: switched off: no memory\n");
      Config off;
      off.enabled = false;
      return new (memory.data()) Session(std::move(off));
    }
  }();
  Session *none = nullptr;
  current.compare_exchange_strong(none, session);
  return *session;
}

} // namespace

Session &Session::instance() noexcept {
  Session *const session = current.load(std::memory_order_acquire);
  return session ? *session : firstOfProcess();
}

bool Session::renew() noexcept try {
  const Session &parents = instance();
  Config config = parents.config();
  config.complaints.clear(); // the parent has reported them
  config.forked = true;
  auto own = std::make_unique<Session>(std::move(config));
  own->recordingSwitch.permit(parents.recordingSwitch.permitted());
  current.store(own.release(), std::memory_order_release);
  return true;
} catch (...) {
  return false;
}

Session::Session(Config config)
    : config_(std::move(config)), outputs(counters, said_, recordingSwitch, config_.maxRecords) {
  for (const std::string &complaint : config_.complaints)
    say(complaint);
  if (!config_.enabled)
    return;
  drawings =
      static_cast<int>(std::count_if(config_.outputs.begin(), config_.outputs.end(), drawsGraphs));
  if (config_.schedule) // ScheduledOutputs makes the outputs, and records by the schedule
    return;
  bool spans = false;
  for (const std::string &item : config_.outputs) {
    std::unique_ptr<Output> output = outputIfRecorded(withCycle(item, 1));
    spans = spans || (output && output->wants().hostSpans);
    if (config_.outputsGiven)
      outputs.attach(std::move(output));
    else
      outputs.attachDefaultTable(std::move(output));
  }
  if (config_.outputsGiven && !config_.outputs.empty())
    recordingSwitch.request(this, {true, true, spans, config_.memory});
}

std::unique_ptr<Output> Session::outputOf(std::string_view item) const {
  return makeOutput(item, config_.maxRecords, thisRun(),
                    config_.hostSpans ? HostSpansFor::All : HostSpansFor::Whole);
}

std::unique_ptr<Output> Session::outputIfRecorded(std::string_view item) {
  std::unique_ptr<Output> output = outputOf(item);
  if (!output || (writesToStderr(item) && !config_.underRun && !config_.forked))
    return output;
  // Every program that uses CUDA allocates. Under `graphprof run` that alone is no reason for a
  // table.
  return std::make_unique<IfRecorded>(
      std::move(output),
      [this, file = pathOf(item)] {
        if (inUse && !config_.underRun && !config_.forked)
          say("nothing was recorded: " + file + " is not written: " + whyNothing());
      },
      !config_.underRun);
}

std::string Session::nameOf(const Site &site, std::span<const Value> context) {
  bool fits = true;
  std::string name = formatName(site.nameFormat, context, &fits);
  if (!fits)
    say(std::string(site.file ? site.file : "") + ":" + std::to_string(site.line) + ": the name '" +
            name + "'",
        " does not fit its values, and is shown as it is written; correct it");
  if (shortenName(name, config_.maxName))
    ++counters.namesCut;
  return name;
}

std::string Session::whyNothing() const {
  for (const auto &[key, json] : facts())
    if (key == noDriverKey)
      return json.substr(1, json.size() - 2); // a text without escapes
  return seen.whyNothing();
}

// The notes and remarks about the whole program.
Batch Session::lastWords() const {
  Batch last;
  if (std::string sentence = allocations.sentence(); !sentence.empty())
    last.remarks.push_back(std::move(sentence));
  for (auto &[key, json] : facts()) {
    last.notes.push_back({key, json});
    if (key == backendKey && json != R"("cuda")" && !config_.backend.empty())
      last.remarks.push_back("timed by the backend " + json);
  }
  if (const std::string untimed = seen.untimed(); !untimed.empty())
    last.notes.push_back({untimedKey, jsonString(untimed)});
  if (!outputs.anyReplay())
    last.notes.push_back({nothingKey, jsonString(seen.whyNothing())});
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
  try {
    const MutexLock lock(wroteMutex_);
    constexpr std::size_t most = 20; // a schedule may write a file for each cycle
    if (wrote_.size() > most)
      wrote_[most - 1] = fmt::format("{} more", wrote_.size() - most + 1);
    wrote_.resize(std::min(wrote_.size(), most));
    if (!wrote_.empty())
      say(fmt::format("wrote {}", fmt::join(wrote_, ", ")));
  } catch (...) { // no memory for a line that is no loss
    return;
  }
}

} // namespace graphprof
