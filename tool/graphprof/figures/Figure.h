// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A figure is a value in its unit, with a hint for people. A program gets the value; what people
// see follows from the unit, so that a time has one form in all commands. What is not known, or was
// not measured, has no value: a dash for people, null in JSON, a blank in CSV.

#ifndef GRAPHPROF_TOOL_FIGURES_FIGURE_H
#define GRAPHPROF_TOOL_FIGURES_FIGURE_H

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "output/statistics/Distribution.h"

namespace graphprof {

struct Figure {
  enum class Unit : unsigned char { None, Ns, Percent };

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string> value;
  Unit unit = Unit::None;
  bool exact = true;                ///< people see fewer digits of a time that is rounded
  std::optional<std::string> shown; ///< people see this in place of the value

  Figure() = default;
  Figure(bool is) : value(is) {}
  Figure(double number, Unit of = Unit::None) : value(number), unit(of) {}
  Figure(std::signed_integral auto number) : value(std::int64_t{number}) {}
  Figure(std::unsigned_integral auto number) : value(std::uint64_t{number}) {}
  Figure(std::string text) : value(std::move(text)) {}
  Figure(std::string_view text) : value(std::string(text)) {}
  Figure(const char *text) : value(std::string(text)) {}

  /// Without a value if it is negative.
  [[nodiscard]] static Figure time(std::int64_t ns);
  [[nodiscard]] static Figure time(double ns, bool exact = true);
  [[nodiscard]] static Figure percent(double percent);
  /// Without a value if it is empty.
  [[nodiscard]] static Figure text(std::string_view text);
  [[nodiscard]] static Figure quantile(const Distribution &times, double which);

  /// The same value; people see `text`.
  [[nodiscard]] Figure as(std::string text) const;
  /// Without a value unless it `is`.
  [[nodiscard]] Figure onlyIf(bool is) const { return is ? *this : Figure(); }
  [[nodiscard]] bool isKnown() const { return value.index() != 0; }
  /// What people see of it, as valid UTF-8 on one line.
  [[nodiscard]] std::string forPeople() const;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_FIGURES_FIGURE_H
