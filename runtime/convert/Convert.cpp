// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "convert/Convert.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "convert/Picture.h"
#include "graphprof/version.h"
#include "output/BatchWriter.h"
#include "output/FileKind.h"
#include "output/MakeOutput.h"
#include "output/Overwriting.h"
#include "output/data/LossText.h"
#include "output/data/Origin.h"
#include "output/formats/binary/BinaryReader.h"
#include "output/io/FileName.h"
#include "output/io/Text.h"

namespace {

using namespace graphprof;

constexpr std::size_t maxRecords = 1'000'000'000; // the file bounds them already

constexpr int failure = 1, wronglyCalled = 2; // exit statuses

std::string command; // the name that it was called by

void say(std::string_view text) {
  fmt::print(stderr, "{}: {}\n", command, printable(text));
  (void)std::fflush(stderr);
}

std::string usageText() {
  return fmt::format(
      "usage: {0} FILE.gprof OUTPUT...\n"
      "       {0} FILE.dot PICTURE...\n"
      "    OUTPUT is one of {1}; table, key_averages and replays without a path go "
      "to standard output\n"
      "    PICTURE is one of {2}; Graphviz draws it\n"
      "    --force  in front of all: overwrites files other than what the same output wrote before",
      command, outputItems(), pictures);
}

int usage() {
  fmt::print(stderr, "{}: {}\n", command, usageText());
  return wronglyCalled;
}

int help() {
  fmt::print("{}\n"
             "    makes of a binary file what the program that wrote it could have written itself, "
             "and pictures of graphs that it wrote for Graphviz\n"
             "{} --help, --version\n"
             "exit status: 0 all is converted; 1 something could not be read or written, or the "
             "file holds nothing that an output shows; 2 called wrongly, nothing is written\n",
             usageText(), command);
  return 0;
}

int showVersion() {
  fmt::print("{} " GRAPHPROF_VERSION_STRING "\n", command);
  return 0;
}

/// The outputs to write. A writer that fails is reported and dropped, as in the program.
class Targets {
public:
  Targets(const std::vector<std::string> &items, const Run &run, bool hostSpans) {
    const HostSpansFor whom = hostSpans ? HostSpansFor::All : HostSpansFor::None;
    for (const std::string &item : items)
      targets_.push_back({item, makeWriter(onStandardOutput(item), maxRecords, run, whom), {}});
  }
  /// Why an item's output must not be written; empty: all may.
  [[nodiscard]] static std::string whyNot(const std::vector<std::string> &items, const Run &run,
                                          const Overwriting &allowed) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (const std::string why = whyNotWritten(onStandardOutput(items[i]), allowed, run);
          !why.empty())
        return fmt::format("{}: {}", items[i], why);
      if (overwritten(items[i], std::span(items).first(i), run))
        return fmt::format("{}: would overwrite the file of another output; name another file",
                           items[i]);
    }
    return {};
  }
  /// Writes with each writer on a thread of its own, while the next batch is read.
  void write(Batch batch) {
    await();
    batch_ = std::move(batch);
    note(batch_);
    for (Target &target : targets_)
      target.result =
          std::async(attempt, [this, &writer = *target.writer] { return writer.write(batch_); });
  }
  /// Closes one writer after another, so that those on standard output keep their order.
  void close(const Losses &losses) {
    await();
    for (Target &target : targets_)
      target.result =
          std::async(std::launch::deferred, attempt,
                     [&writer = *target.writer, &losses] { return writer.close(losses); });
    await();
    for (const Target &target : targets_)
      if (const std::string why = whyEmpty(target.item, held_); !why.empty()) {
        say(fmt::format("{}: is empty: {}", target.item, why));
        failed_ = true;
      }
  }
  [[nodiscard]] bool failed() const { return failed_; }

private:
  struct Target {
    std::string item;
    std::unique_ptr<BatchWriter> writer;
    std::future<std::string> result;
  };

  static std::string attempt(const std::function<std::string()> &work) {
    try {
      return work();
    } catch (const std::exception &error) { // no memory
      return error.what();
    }
  }
  void await() {
    std::erase_if(targets_, [&](Target &target) {
      const std::string failed = target.result.valid() ? target.result.get() : std::string();
      if (!failed.empty())
        say(fmt::format("{}: {}", target.item, failed));
      failed_ = failed_ || !failed.empty();
      return !failed.empty();
    });
  }

  void note(const Batch &batch) {
    for (const Batch::Act &act : batch.acts)
      held_.steps = held_.steps || act.kind == HostKind::Step;
    for (const Batch::Launch &launch : batch.launches)
      held_.graphs = held_.graphs || launch.replay.drawn != nullptr;
    held_.records = held_.records || !batch.launches.empty();
    held_.hostSpans = held_.hostSpans || !batch.spans.empty();
    held_.memory = held_.memory || !batch.memory.empty();
  }

  Batch batch_;                 // being written
  FileContents held_;           // in the whole file
  std::vector<Target> targets_; // await() each writer before it is destroyed
  bool failed_ = false;
};

// Empty: the file can be read. A pipe shows what it holds only once.
std::string whyUnread(const std::string &path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error) &&
      !std::filesystem::is_directory(path, error))
    return {};
  return whyNoRecording(path);
}

// The command that was meant, if a recording stands behind what is to be made of it; or empty.
std::string inOrder(const std::vector<std::string> &words) {
  const auto isRecording = [](const std::string &word) {
    std::error_code error;
    return word.ends_with(".gprof") && std::filesystem::is_regular_file(word, error);
  };
  if (isRecording(words[0]) || std::count_if(words.begin(), words.end(), isRecording) != 1)
    return {};
  const std::string &recording = *std::find_if(words.begin(), words.end(), isRecording);
  std::vector<std::string> others = words;
  std::erase(others, recording);
  return fmt::format("{} {} {}", command, recording, fmt::join(others, " "));
}

int convert(const std::string &path, const std::vector<std::string> &items,
            const Overwriting &allowed) {
  if (const std::string why = whyUnread(path); !why.empty()) {
    say(fmt::format("cannot read {}: {}", path, why));
    return failure;
  }
  std::ifstream file(path, std::ios::binary);
  std::string refused; // known with the run, on which names may depend
  BinaryReader reader; // owns data that the targets use until they are closed
  std::unique_ptr<Targets> targets;
  BinaryListener listener;
  listener.run = [&](const Run &run, bool hostSpans) {
    refused = Targets::whyNot(items, run, allowed);
    targets = std::make_unique<Targets>(refused.empty() ? items : std::vector<std::string>(), run,
                                        hostSpans);
  };
  listener.batch = [&](Batch batch) { targets->write(std::move(batch)); };
  const BinaryResult result = reader.read(file, listener);
  if (!refused.empty()) {
    say(refused);
    return wronglyCalled;
  }
  if (!result.failed.empty())
    say(fmt::format("{}: {}", path, result.failed));
  else if (!result.ended)
    say(fmt::format("{}: the program did not end normally: what it wrote until then is converted, "
                    "and what it lost is unknown",
                    path));
  if (targets)
    targets->close(result.losses);
  return result.failed.empty() && targets && !targets->failed() ? 0 : failure;
}

int draw(const std::string &path, const std::vector<std::string> &pictureFiles,
         const Overwriting &allowed) {
  for (const std::string &picture : pictureFiles)
    if (!isPicture(picture)) {
      say(fmt::format("{}: must be one of {}", picture, pictures));
      return usage();
    }
  if (!std::ifstream(path)) {
    say(fmt::format("cannot read {}", path));
    return failure;
  }
  for (const std::string &picture : pictureFiles)
    if (const std::string why = allowed.whyNot(picture, isOwnPicture); !why.empty()) {
      say(fmt::format("{}: {}", picture, why));
      return wronglyCalled;
    }
  bool failed = false;
  for (const std::string &picture : pictureFiles)
    if (const std::string why = drawPicture(path, picture); !why.empty()) {
      say(fmt::format("{}: {}", picture, why));
      failed = true;
    }
  return failed ? failure : 0;
}

} // namespace

int graphprof::convertCommand(std::string_view calledAs,
                              const std::vector<std::string> &arguments) {
  command = calledAs;
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h"))
    return help();
  if (arguments.size() == 1 && arguments[0] == "--version")
    return showVersion();
  std::vector<std::string> words = arguments;
  Overwriting allowed;
  allowed.force = std::erase(words, "--force") > 0;
  if (words.size() < 2 || words[0].starts_with("-"))
    return usage();
  if (const std::string meant = inOrder(words); !meant.empty()) {
    say(fmt::format("the recording comes first; did you mean {}?", meant));
    return wronglyCalled;
  }
  allowed.inputs = {words[0]};
  const std::vector<std::string> items(words.begin() + 1, words.end());
  if (words[0].ends_with(".dot"))
    return draw(words[0], items, allowed);
  for (const std::string &item : items)
    if (const std::string why = whyNoOutput(item); !why.empty()) {
      say(fmt::format("{}: {}", item, why));
      return usage();
    }
  leaveFamily(); // what is converted again, in a script under `graphprof run`, is replaced
  try {
    return convert(words[0], items, allowed);
  } catch (const std::exception &error) { // no memory
    say(fmt::format("{}: {}", words[0], error.what()));
    return failure;
  }
}
