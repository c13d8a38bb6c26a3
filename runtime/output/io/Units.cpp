// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Units.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

namespace graphprof {

// Divides as PyTorch does, so that values in the middle are rounded the same way.
std::string formatTime(double us, double usOfUnit, std::string_view unit, bool exact) {
  std::string number = fmt::format("{:.3f}", us / usOfUnit);
  if (!exact) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.'))
      number.pop_back();
  }
  return number.append(unit);
}

std::string formatTime(double ns, bool exact) {
  const double us = ns / 1e3;
  if (ns >= 1e9)
    return formatTime(us, 1e6, "s", exact);
  if (ns >= 1e6)
    return formatTime(us, 1e3, "ms", exact);
  return formatTime(us, 1, "us", exact);
}

std::string formatPercent(double percent) {
  return percent < 0 ? std::string(noValue) : fmt::format("{:.2f}%", percent);
}

std::string formatBytes(std::int64_t bytes, BytesAs units) {
  constexpr std::array<std::string_view, 5> kibi = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr std::array<std::string_view, 4> kilo = {"B", "KB", "MB", "GB"};
  const std::span<const std::string_view> names =
      units == BytesAs::KiB ? std::span<const std::string_view>(kibi) : kilo;
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; std::abs(amount) >= 1024 && unit + 1 < names.size(); ++unit)
    amount /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.2f} {}", amount, names[unit]);
}

std::string formatRate(double perS, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes = {"", "K", "M", "G", "T", "P"};
  if (perS <= 0)
    return std::string(noValue);
  std::size_t scale = 0;
  for (; perS >= 1000 && scale + 1 < prefixes.size(); ++scale)
    perS /= 1000;
  return fmt::format("{:.4g} {}{}", perS, prefixes[scale], unit);
}

} // namespace graphprof
