// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Recordings.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "output/FileKind.h"
#include "output/formats/binary/BinaryReader.h"

namespace graphprof {

namespace {

[[noreturn]] void refuse(const std::string &path, std::string_view why) {
  throw UnreadableRecording{fmt::format("{}: {}", path, why)};
}

// What is known when a file has been read.
class Counting : public RecordingListener {
public:
  explicit Counting(RecordingListener &to) : to_(to) {}
  void begin(const Run &run) override { to_.begin(run); }
  void add(const Batch &batch) override {
    holds_ = holds_ || !batch.launches.empty() || !batch.graphMemory.empty();
    to_.add(batch);
  }
  void end(const RecordedEnd &end) override {
    missing_ = end.missing;
    to_.end(end);
  }
  [[nodiscard]] bool holdsAny() const { return holds_; }
  [[nodiscard]] const std::string &missing() const { return missing_; }

private:
  RecordingListener &to_;
  bool holds_ = false;
  std::string missing_;
};

std::string readBinary(std::ifstream &file, RecordingListener &listener, KeptSites &sites) {
  bool begun = false;
  BinaryListener parts;
  parts.run = [&](const Run &run, bool) {
    begun = true;
    listener.begin(run);
  };
  parts.batch = [&](const Batch &batch) { listener.add(batch); };
  const BinaryResult result = BinaryReader::read(file, parts, sites);
  if (!begun)
    return result.failed.empty() ? "it ends before it says what was recorded; let the program run "
                                   "longer, or end normally"
                                 : result.failed;
  RecordedEnd end;
  end.losses = result.losses;
  if (!result.failed.empty())
    end.missing = fmt::format("{}: what comes before the damage is read", result.failed);
  else if (!result.ended)
    end.missing = fmt::format("the program did not end normally, or still runs{}: what it wrote "
                              "until then is read, and what it lost is unknown",
                              result.cut > 0 ? ", and the file is cut off" : "");
  listener.end(end);
  return {};
}

} // namespace

namespace {

// Whether one is the beginning of the other, or all of it.
bool beginAlike(const std::string &one, const std::string &other) {
  std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
  std::array<char, 4096> ofFirst, ofSecond;
  while (first && second) {
    first.read(ofFirst.data(), ofFirst.size());
    second.read(ofSecond.data(), ofSecond.size());
    const auto count = static_cast<std::size_t>(std::min(first.gcount(), second.gcount()));
    if (std::string_view(ofFirst.data(), count) != std::string_view(ofSecond.data(), count))
      return false;
  }
  return true;
}

} // namespace

void refuseRepeated(const std::vector<std::string> &paths) {
  // Recordings of different processes differ in their first bytes, which say the process.
  std::map<std::string, std::vector<const std::string *>> byHead;
  for (const std::string &path : paths) {
    std::string head(256, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    if (head.empty())
      continue; // it cannot be read, which is said elsewhere
    std::vector<const std::string *> &others = byHead[std::move(head)];
    for (const std::string *const other : others)
      if (beginAlike(*other, path))
        refuse(path, fmt::format("is the same recording as {}: name each once, because what counts "
                                 "twice looks surer than it is",
                                 *other));
    others.push_back(&path);
  }
}

void Recordings::readOne(const std::string &path, RecordingsListener &listener) {
  listener.file(path);
  Counting counting(listener);
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = readBinary(file, counting, sites_); !why.empty())
    refuse(path, why);
  if (!counting.holdsAny())
    refuse(path, counting.missing().empty()
                     ? "holds no replay and no region; see what the program said when it ended"
                     : fmt::format("holds no replay and no region: {}", counting.missing()));
}

void Recordings::read(const std::vector<std::string> &paths, RecordingsListener &listener) {
  for (const std::string &path : paths)
    if (const std::string why = whyNoRecording(path); !why.empty())
      refuse(path, why);
  refuseRepeated(paths);
  for (const std::string &path : paths)
    readOne(path, listener);
}

} // namespace graphprof
