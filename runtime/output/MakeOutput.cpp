// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "output/InlineOutput.h"
#include "output/Streamed.h"
#include "output/data/Origin.h"
#include "output/io/File.h"
#include "output/io/FileName.h"
#include "output/io/Gzip.h"
#include "output/io/NearMiss.h"

namespace graphprof {

namespace {

constexpr const Format *all[] = {
#define GRAPHPROF_FORMAT(name) &formats::name,
#include "output/formats/list.def"
#undef GRAPHPROF_FORMAT
};

// "WORD", "WORD:PATH", "WORD+OPTION+OPTION:PATH".
std::optional<Request> requestByWord(const Format &format, std::string_view item) {
  if (format.word.empty() || !item.starts_with(format.word))
    return std::nullopt;
  std::string_view rest = item.substr(format.word.size());
  std::string_view options;
  if (format.checkOptions && rest.size() > 1 && rest.front() == '+') {
    options = rest.substr(0, rest.find(':'));
    rest.remove_prefix(options.size());
  }
  if (!format.optionAsPath.empty() && options.empty() && rest.starts_with(':') &&
      rest.substr(1) == format.optionAsPath)
    return Request{&format, true, '+' + std::string(format.optionAsPath), {}};
  const bool withPath = rest.size() > 1 && rest.front() == ':';
  if (!withPath && !(rest.empty() && format.toStderr))
    return std::nullopt;
  return Request{&format, true, std::string(options),
                 std::string(withPath ? rest.substr(1) : rest)};
}

// Words come first: "replays:a.json" is not a trace.
std::optional<Request> requestOf(std::string_view item) {
  for (const Format *format : all)
    if (std::optional<Request> request = requestByWord(*format, item))
      return request;
  for (const Format *format : all)
    for (const std::string_view ending : format->endings)
      if (!ending.empty() && item.ends_with(ending))
        return Request{format, false, {}, std::string(item)};
  return std::nullopt;
}

std::string checkOptions(const Request &request) {
  return request.format->checkOptions ? request.format->checkOptions(request.options)
                                      : std::string();
}

// `path` is the request's path with placeholders replaced.
std::string nameOf(const Request &request, const std::string &path) {
  if (!request.byWord)
    return path;
  std::string name = std::string(request.format->word) + request.options;
  return path.empty() ? name : name + ':' + path;
}

bool addsToFile(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->format->addsToFile;
}

// The file that the output for `item` makes or replaces, by one name only; empty: none, but a
// stream or a device, which takes the texts of several.
std::filesystem::path fileOf(std::string_view item, const Run &run) {
  const std::string path = fromOrigin(pathOf(item, run));
  std::error_code error;
  if (path.empty() || OpenFile(path))
    return {};
  const auto type = std::filesystem::status(path, error).type();
  if (type != std::filesystem::file_type::regular && type != std::filesystem::file_type::not_found)
    return {};
  std::filesystem::path file = std::filesystem::weakly_canonical(path, error);
  return error ? std::filesystem::path(path).lexically_normal() : file;
}

bool getsHostSpans(const Format &format, HostSpansFor whom) {
  switch (format.hostSpans) {
  case ShowsHostSpans::Never:
    return false;
  case ShowsHostSpans::OnRequest:
    return whom == HostSpansFor::All;
  case ShowsHostSpans::IfAny:
    return whom != HostSpansFor::None;
  case ShowsHostSpans::Always:
    return true;
  }
  return false;
}

// `settled`: as in WriterSettings.
std::unique_ptr<BatchWriter> writerOf(const Request &request, std::size_t maxRecords,
                                      const Run &run, HostSpansFor whom, bool settled) {
  if (!checkOptions(request).empty())
    return nullptr;
  const bool hostSpans = getsHostSpans(*request.format, whom);
  return request.format->make(request,
                              {fromOrigin(expandPath(request.path, run)), maxRecords, run,
                               hostSpans, settled && hostSpans && request.format->sumsSteps});
}

} // namespace

std::string outputItems() {
  std::vector<std::string_view> items;
  for (const Format *format : all)
    if (format->toStderr)
      items.push_back(format->word);
  for (const Format *format : all)
    items.push_back(format->items);
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string whyNoOutput(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  if (!request) {
    std::vector<std::string_view> words;
    for (const Format *format : all)
      if (!format->word.empty())
        words.push_back(format->word);
    return fmt::format("must be a list of {}{}", outputItems(),
                       didYouMean(item.substr(0, item.find_first_of(":+")), words));
  }
  if (std::string wrong = checkOptions(*request); !wrong.empty())
    return wrong;
  if (const std::string_view word = unknownPlaceholder(request->path); !word.empty())
    return fmt::format("{} is not one of {}", word, placeholders);
  if (request->path.ends_with(".gz") && !Gzip::builtIn())
    return "graphprof is built without zlib";
  return request->format->checkPath ? request->format->checkPath(request->path) : std::string();
}

bool asksForTheSame(std::string_view item, std::string_view other) {
  const std::optional<Request> one = requestOf(item), two = requestOf(other);
  return one && two && one->format == two->format && one->options == two->options;
}

const std::string *overwritten(std::string_view item, std::span<const std::string> others,
                               const Run &run) {
  const std::filesystem::path file = fileOf(item, run);
  if (file.empty())
    return nullptr;
  const auto found = std::find_if(others.begin(), others.end(), [&](const std::string &other) {
    return fileOf(other, run) == file && !(addsToFile(item) && addsToFile(other));
  });
  return found == others.end() ? nullptr : &*found;
}

std::string whyNotWritten(std::string_view item, const Overwriting &allowed, const Run &run) {
  namespace fs = std::filesystem;
  const std::optional<Request> request = requestOf(item);
  const std::string path = fromOrigin(pathOf(item, run));
  if (!request || path.empty())
    return {};
  // A database takes what is added, and refuses a file that is none of graphprof's.
  const Overwriting any{.inputs = allowed.inputs, .force = true};
  if (std::string why =
          (request->format->wrote ? allowed : any).whyNot(path, request->format->wrote);
      !why.empty())
    return why;
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path();
      !fs::exists(path, error) && !fs::is_symlink(path, error) && !fs::exists(folder, error))
    return fmt::format("the folder {} does not exist; make it first", folder.native());
  if (fs::is_regular_file(path, error) && request->format->mode != WriteMode::AtEnd)
    return ::access(path.c_str(), W_OK) == 0
               ? std::string()
               : fmt::format("cannot write {}: {}", path, std::generic_category().message(errno));
  return WholeFile(path).check();
}

std::string whyEmpty(std::string_view item, const FileContents &held) {
  const std::optional<Request> request = requestOf(item);
  if (!request)
    return {};
  const Format &format = *request->format;
  if (format.showsSteps)
    return held.steps       ? std::string()
           : held.hostSpans ? "it shows steps, and the program marked none (graphprof::step, or "
                              "GRAPHPROF_STEP)"
                            : "it shows steps, which are part of what the host did; run the "
                              "program with GRAPHPROF_HOST_SPANS=1";
  if (format.drawsGraphs && held.records && !held.graphs)
    return "it shows the nodes of graphs, which are recorded with GRAPHPROF_NODES=1; run the "
           "program with it, or name the picture in its GRAPHPROF_OUTPUT";
  const bool spans = held.hostSpans && getsHostSpans(format, HostSpansFor::All);
  if (held.records || spans || (held.memory && format.showsMemory))
    return {};
  return "nothing was recorded that it shows";
}

std::string pathOf(std::string_view item, const Run &run) {
  const std::optional<Request> request = requestOf(item);
  return request ? expandPath(request->path, run) : std::string();
}

std::string onStandardOutput(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->path.empty() ? nameOf(*request, "/dev/stdout") : std::string(item);
}

bool isWrittenWhole(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->format->mode == WriteMode::AtEnd;
}

bool writesToStderr(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->path.empty();
}

bool drawsGraphs(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->format->drawsGraphs;
}

bool keepsGraphs(std::string_view item) {
  const std::optional<Request> request = requestOf(item);
  return request && request->format->keepsGraphs;
}

bool getsHostSpans(std::string_view item, HostSpansFor whom) {
  const std::optional<Request> request = requestOf(item);
  return request && getsHostSpans(*request->format, whom);
}

std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords, const Run &run,
                                   HostSpansFor whom) {
  const std::optional<Request> request = requestOf(item);
  if (!request)
    return nullptr;
  std::unique_ptr<BatchWriter> writer = writerOf(*request, maxRecords, run, whom, true);
  if (!writer)
    return nullptr;
  const Format &format = *request->format;
  std::string path = expandPath(request->path, run);
  const bool hostSpans = getsHostSpans(format, whom); // they say which steps there are
  const Output::Interest wants{.hostSpans = hostSpans,
                               .memory = format.showsMemory,
                               .settled = format.sumsSteps && hostSpans,
                               .warpSpans = format.showsWarpSpans};
  if (format.mode == WriteMode::Streaming)
    return std::make_unique<Streamed>(std::move(path), std::move(writer), maxRecords, wants);
  return std::make_unique<InlineOutput>(nameOf(*request, path), std::move(writer), wants);
}

std::unique_ptr<BatchWriter> makeWriter(std::string_view item, std::size_t maxRecords,
                                        const Run &run, HostSpansFor whom) {
  const std::optional<Request> request = requestOf(item);
  return request ? writerOf(*request, maxRecords, run, whom, false) : nullptr;
}

} // namespace graphprof
