// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/FileName.h"

#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <unistd.h>

namespace graphprof {

namespace {

std::string timeText(std::int64_t ns) {
  constexpr std::int64_t nsPerSecond = 1'000'000'000;
  const auto seconds = static_cast<std::time_t>(ns / nsPerSecond);
  std::tm utc{};
  std::array<char, 32> text{};
  if (!::gmtime_r(&seconds, &utc))
    return "0";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &utc)};
}

// The next `{word}` in `text`, with braces; empty if there is none.
std::string_view nextWord(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view ofVariables =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    std::size_t close = text.find_first_not_of(letters, open + 1);
    if (close != std::string_view::npos && text[close] == ':')
      close = text.find_first_not_of(ofVariables, close + 1);
    if (close != std::string_view::npos && close > open + 1 && text[close] == '}')
      return text.substr(open, close - open + 1);
  }
  return {};
}

std::string_view inside(std::string_view braced) { return braced.substr(1, braced.size() - 2); }

// Makes a name, which may come from another program's file, usable as a part of a path.
std::string asPart(std::string name) {
  for (char &character : name)
    if (character == '/' || static_cast<unsigned char>(character) < ' ')
      character = '_';
  return name;
}

std::optional<std::string> meaning(std::string_view word, const Run &run) {
  if (word == "host")
    return asPart(run.host);
  if (word == "pid")
    return std::to_string(run.pid);
  if (word == "rank")
    return std::to_string(run.rank);
  if (word == "time")
    return timeText(run.beganNs);
  if (constexpr std::string_view env = "env:"; word.starts_with(env) && word.size() > env.size()) {
    const char *const value = secure_getenv(std::string(word.substr(env.size())).c_str());
    return asPart(value ? value : "");
  }
  return std::nullopt;
}

} // namespace

std::string expandPath(std::string_view pattern, const Run &run) {
  std::string path;
  for (;;) {
    const std::string_view word = nextWord(pattern);
    if (word.empty())
      return path.append(pattern);
    const auto before = static_cast<std::size_t>(word.data() - pattern.data());
    path += pattern.substr(0, before);
    path += meaning(inside(word), run).value_or(std::string(word));
    pattern.remove_prefix(before + word.size());
  }
}

std::string beforeExtension(std::string_view path, std::string_view text) {
  constexpr std::string_view compressed = ".gz";
  std::string_view whole = path;
  if (whole.ends_with(compressed))
    whole.remove_suffix(compressed.size());
  const std::size_t slash = whole.find_last_of("/:");
  const std::size_t first = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = whole.rfind('.');
  std::string result(path);
  result.insert(dot == std::string_view::npos || dot <= first ? whole.size() : dot,
                std::string(".").append(text));
  return result;
}

std::string withPid(std::string_view path, std::string_view more) {
  return beforeExtension(path, std::to_string(::getpid()).append(more));
}

std::string_view unknownPlaceholder(std::string_view pattern) {
  const Run any;
  for (;;) {
    const std::string_view word = nextWord(pattern);
    if (word.empty() || !meaning(inside(word), any))
      return word;
    pattern.remove_prefix(static_cast<std::size_t>(word.data() - pattern.data()) + word.size());
  }
}

} // namespace graphprof
