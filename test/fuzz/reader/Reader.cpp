// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Called by libFuzzer, and by Replay.cpp with its findings. Reads the bytes as a binary file and
// makes all other outputs of it, as graphprof-convert does, but on one thread. Nothing may go
// wrong; JSON outputs must be valid; and what was understood, written again, must be understood
// again.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
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

// A folder in memory of this process.
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

// The outputs that graphprof-convert can make. Writing may fail.
class Outputs {
public:
  Outputs(const Run &run, bool hostSpans) : trace_(scratch().path("trace.json")) {
    const HostSpansFor whom = hostSpans ? HostSpansFor::All : HostSpansFor::None;
    for (const std::string &item :
         {std::string("table:/dev/null"), std::string("replays:/dev/null"),
          std::string("key_averages+statistics+sort_by=flops:/dev/null"), trace_})
      writers_.push_back(makeWriter(item, most, run, whom));
    writers_.push_back(std::make_unique<Csv>("/dev/null"));
    writers_.push_back(std::make_unique<JsonLines>(lines_, run));
    writers_.push_back(std::make_unique<Binary>(binary_, run, hostSpans));
    if (sqliteBuiltIn())
      writers_.push_back(makeSqlite(":memory:", run));
  }

  void write(const Batch &batch) {
    for (const auto &writer : writers_)
      (void)writer->write(batch);
  }
  void close(const Losses &losses) {
    for (const auto &writer : writers_)
      (void)writer->close(losses);
    require(isJson(contents(trace_)), "a trace is JSON");
    require(isJsonInEachLine(contents(lines_)), "each line is JSON");
    std::ifstream again(binary_, std::ios::binary);
    const BinaryResult result = BinaryReader().read(again, {});
    require(result.failed.empty() && result.ended, "what was understood is understood again");
  }

private:
  static constexpr std::size_t most = 1'000'000; // limit of records

  const std::string trace_, lines_ = scratch().path("run.jsonl"),
                            binary_ = scratch().path("run.gprof");
  std::vector<std::unique_ptr<BatchWriter>> writers_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::clock_t mostSeconds = 10; // of the processor: a busy machine is not a slow reader
  const std::clock_t begin = std::clock();
  std::istringstream file(std::string(reinterpret_cast<const char *>(data), size));
  BinaryReader reader;
  std::unique_ptr<Outputs> outputs;
  BinaryListener listener;
  listener.run = [&](const Run &run, bool hostSpans) {
    outputs = std::make_unique<Outputs>(run, hostSpans);
  };
  listener.batch = [&](const Batch &batch) { outputs->write(batch); };
  const BinaryResult result = reader.read(file, listener);
  if (outputs)
    outputs->close(result.losses);
  require(std::clock() - begin <= mostSeconds * CLOCKS_PER_SEC,
          "an input takes ten seconds at most");
  return 0;
}
