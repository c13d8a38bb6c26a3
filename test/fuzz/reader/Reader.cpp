// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What libFuzzer calls, and Replay.cpp with what it has found: reads the bytes as a binary file and
// makes every other output of it, as graphprof-convert does, but on one thread. Whatever they are,
// nothing goes wrong; what is written as JSON is JSON; and what was understood of a file, and is
// written again, is understood once more.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "output/MakeOutput.h"
#include "output/data/Batch.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/binary/BinaryReader.h"
#include "output/formats/csv/Csv.h"
#include "output/formats/json_lines/JsonLines.h"
#include "output/formats/sqlite/Sqlite.h"
#include "output/io/Json.h"

using namespace graphprof;

namespace {

// Files are in memory, in a folder of this process's own.
class Scratch {
public:
  Scratch()
      : folder_(std::filesystem::path("/dev/shm") / ("graphprof-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  [[nodiscard]] std::string path(const char *name) const { return (folder_ / name).string(); }

private:
  const std::filesystem::path folder_;
};

const Scratch &scratch() {
  static const Scratch folder;
  return folder;
}

std::string contents(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void require(bool holds, const char *what) {
  if (holds)
    return;
  (void)std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

bool isJsonInEachLine(const std::string &text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!isJson(line))
      return false;
  return true;
}

// Those that graphprof-convert can make. What fails to be written fails.
class Outputs {
public:
  Outputs(const Run &run, bool hostSpans) : trace_(scratch().path("trace.json")) {
    const HostSpansFor whom = hostSpans ? HostSpansFor::All : HostSpansFor::None;
    for (const std::string &item :
         {std::string("table:/dev/null"), std::string("replays:/dev/null"),
          std::string("key_averages+statistics+sort_by=flops:/dev/null"), trace_})
      outputs_.push_back(makeOutput(item, most, run, whom));
    writers_.push_back(std::make_unique<Csv>("/dev/null"));
    writers_.push_back(std::make_unique<JsonLines>(lines_, run));
    writers_.push_back(std::make_unique<Binary>(binary_, run, hostSpans));
    if (sqliteBuiltIn())
      writers_.push_back(makeSqlite(":memory:", run));
  }

  void write(const Replay &replay) {
    for (const auto &output : outputs_)
      (void)output->write(replay);
    batcher_.add(replay, batch_);
    writeLarge();
  }
  void write(std::span<const HostSpan> spans) {
    for (const auto &output : outputs_)
      if (output->wantsHostSpans())
        (void)output->writeHost(spans);
    for (const HostSpan &span : spans)
      batcher_.add(span, batch_);
    writeLarge();
  }
  void write(const MemoryEvent &event) {
    for (const auto &output : outputs_)
      (void)output->memory(event);
    Batch::Memory &memory = batch_.memory.emplace_back(event, std::string(event.path));
    memory.event.path = {};
    writeLarge();
  }
  void metadata(const std::string &key, const std::string &json) {
    for (const auto &output : outputs_)
      output->metadata(key, json);
    batch_.notes.push_back({key, json});
  }
  void remark(const std::string &sentence) {
    for (const auto &output : outputs_)
      output->remark(sentence);
    batch_.remarks.push_back(sentence);
  }
  void close(const Losses &losses) {
    writeBatch();
    for (const auto &output : outputs_)
      (void)output->close(losses);
    for (const auto &writer : writers_)
      (void)writer->close(losses);
    require(isJson(contents(trace_)), "a trace is JSON");
    require(isJsonInEachLine(contents(lines_)), "each line is JSON");
    std::ifstream again(binary_, std::ios::binary);
    const BinaryResult result = BinaryReader().read(again, {});
    require(result.failed.empty() && result.ended, "what was understood is understood again");
  }

private:
  static constexpr std::size_t most = 1'000'000, large = 10'000; // records

  void writeLarge() {
    if (batch_.records() >= large)
      writeBatch();
  }
  void writeBatch() {
    for (const auto &writer : writers_)
      (void)writer->write(batch_);
    batcher_.renew(batch_);
  }

  const std::string trace_, lines_ = scratch().path("run.jsonl"),
                            binary_ = scratch().path("run.gprof");
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::unique_ptr<BatchWriter>> writers_;
  Batcher batcher_;
  Batch batch_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::istringstream file(std::string(reinterpret_cast<const char *>(data), size));
  BinaryReader reader;
  std::unique_ptr<Outputs> outputs;
  BinaryListener listener;
  listener.run = [&](const Run &run, bool hostSpans) {
    outputs = std::make_unique<Outputs>(run, hostSpans);
  };
  listener.replay = [&](const Replay &replay) { outputs->write(replay); };
  listener.hostSpans = [&](std::span<const HostSpan> spans) { outputs->write(spans); };
  listener.memory = [&](const MemoryEvent &event) { outputs->write(event); };
  listener.metadata = [&](const std::string &key, const std::string &json) {
    outputs->metadata(key, json);
  };
  listener.remark = [&](const std::string &sentence) { outputs->remark(sentence); };
  const BinaryResult result = reader.read(file, listener);
  if (outputs)
    outputs->close(result.losses);
  return 0;
}
