// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReadWindow.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "output/io/NearMiss.h"
#include "output/io/ReadText.h"

namespace graphprof {

namespace {

using Opener = WindowArguments::Opener;

constexpr std::array<std::string_view, 9> words = {
    "cuda-profiler", "nvtx", "signal", "attach", "after", "skip", "replays", "seconds", "repeat"};

template <class Number> std::optional<Number> whole(std::string_view text) {
  Number number{};
  return readWhole(text, number) ? std::optional(number) : std::nullopt;
}

// Of one item: what it must be, if it is wrong.
std::string count(std::string_view text, std::uint64_t &number, std::uint64_t least) {
  constexpr std::uint64_t most = 1'000'000'000'000;
  const auto read = whole<std::uint64_t>(text);
  if (!read || *read < least || *read > most)
    return fmt::format("a whole number from {}", least);
  number = *read;
  return {};
}

std::string seconds(std::string_view text, std::int64_t &ns) {
  constexpr double most = 1e9;
  const auto read = whole<double>(text);
  if (!read || !(*read > 0) || *read > most)
    return "a number of seconds above 0";
  ns = static_cast<std::int64_t>(*read * 1e9);
  return {};
}

std::string signal(std::string_view name, int &number) {
  if (name.starts_with("SIG"))
    name.remove_prefix(3);
  if (name != "USR1" && name != "USR2")
    return "USR1 or USR2";
  number = name == "USR1" ? SIGUSR1 : SIGUSR2;
  return {};
}

std::string readItem(std::string_view name, std::optional<std::string_view> value,
                     WindowArguments &window) {
  const bool alone = name == "cuda-profiler" || name == "attach";
  if (alone && value)
    return "without a value";
  if (!alone && (!value || value->empty()))
    return fmt::format("{}=VALUE", name);
  if (alone) {
    window.opener = name == "attach" ? Opener::Attach : Opener::CudaProfiler;
    return {};
  }
  if (name == "nvtx") {
    window.opener = Opener::NvtxRange;
    window.range = *value;
    return {};
  }
  if (name == "signal") {
    window.opener = Opener::Signal;
    return signal(*value, window.signal);
  }
  if (name == "after" || name == "seconds")
    return seconds(*value, name == "after" ? window.afterNs : window.lastsNs);
  if (name == "skip")
    return count(*value, window.skip, 1);
  return count(*value, name == "replays" ? window.replays : window.repeat,
               name == "replays" ? 1 : 0);
}

} // namespace

std::string readWindow(std::string_view text, WindowArguments &window) {
  std::vector<std::string_view> given;
  const auto has = [&given](std::string_view name) {
    return std::find(given.begin(), given.end(), name) != given.end();
  };
  const auto openers = [&] { return std::count_if(words.begin(), words.begin() + 4, has); };
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty())
      continue;
    const std::size_t sign = std::min(item.find('='), item.size());
    const std::string_view name = trimmed(item.substr(0, sign));
    if (std::find(words.begin(), words.end(), name) == words.end())
      return fmt::format("'{}' must be one of {}{}", item, fmt::join(words, ", "),
                         didYouMean(name, words));
    if (has(name))
      return fmt::format("'{}' must be given once", name);
    given.push_back(name);
    if (openers() > 1)
      return fmt::format("'{}' must be the only one of cuda-profiler, nvtx, signal and attach",
                         item);
    const std::string must = readItem(
        name, sign == item.size() ? std::nullopt : std::optional(trimmed(item.substr(sign + 1))),
        window);
    if (!must.empty())
      return fmt::format("'{}' must be {}", item, must);
  }
  if (openers() == 0 && !has("repeat")) // what begins by itself does so once
    window.repeat = 1;
  if (window.opener == Opener::Begin && window.repeat != 1 && window.lastsNs == 0 &&
      window.replays == 0)
    return "'repeat' must come with seconds or replays, which end a window";
  return {};
}

} // namespace graphprof
