// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/FileKind.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <sys/stat.h>

#include "output/Format.h"
#include "output/io/Gzip.h"

namespace graphprof {

namespace {

constexpr std::size_t headBytes = 4096; // longer than a line of replays

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(headBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool isCompressed(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// What else a program may have written; empty: it is none of that.
std::string_view outputOf(std::string_view head) {
  if (head.starts_with("SQLite format 3"))
    return "a database";
  if (formats::jsonLines.wrote(head) || head.starts_with(R"({"type":)"))
    return "JSON lines";
  if (formats::csv.wrote(head))
    return "CSV";
  if (formats::graph.wrote(head))
    return "a picture of graphs";
  if (formats::table.wrote(head) || formats::replays.wrote(head))
    return "a text for people";
  const auto holds = [head](std::string_view text) { return head.find(text) != head.npos; };
  if (formats::chromeTrace.wrote(head) || holds("\"traceEvents\"") || holds("\"schemaVersion\""))
    return "a Chrome trace";
  return {};
}

} // namespace

std::string headOf(const std::string &path) {
  std::string bytes = bytesOf(path);
  return isCompressed(bytes) ? unzippedHead(bytes, headBytes) : bytes;
}

bool isRecording(std::string_view head) { return formats::binary.wrote(head); }

std::string whyNoRecording(const std::string &path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return std::strerror(errno);
  if (S_ISDIR(status.st_mode))
    return "is a folder; name the files in it";
  if (!std::ifstream(path))
    return std::strerror(errno);
  const std::string bytes = bytesOf(path);
  if (bytes.empty())
    return "is empty; the program that writes it has not begun, or failed";
  const std::string head = headOf(path);
  if (const std::string_view made = outputOf(head); !made.empty())
    return fmt::format("is {}, which graphprof writes for other programs and does not read; let "
                       "the program write a binary file (GRAPHPROF_OUTPUT=PATH.gprof), of which "
                       "graphprof convert makes the others",
                       made);
  if (isCompressed(bytes))
    return "is compressed; decompress it first (gunzip)";
  if (isRecording(head))
    return {};
  return "is not a recording of graphprof, which is a binary file (PATH.gprof)";
}

} // namespace graphprof
