// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Figure.h"

#include <type_traits>

#include <fmt/format.h>

#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

std::string inUnit(double number, const Figure &figure) {
  switch (figure.unit) {
  case Figure::Unit::Ns:
    return formatTime(number, figure.exact);
  case Figure::Unit::Percent:
    return formatPercent(number);
  case Figure::Unit::None:
    break;
  }
  return fmt::format("{:.6g}", number);
}

} // namespace

Figure Figure::time(std::int64_t ns) {
  Figure figure;
  if (ns >= 0) {
    figure.value = ns;
    figure.unit = Unit::Ns;
  }
  return figure;
}

Figure Figure::time(double ns, bool exact) {
  Figure figure;
  if (ns >= 0) {
    figure = {ns, Unit::Ns};
    figure.exact = exact;
  }
  return figure;
}

Figure Figure::percent(double percent) {
  return percent < 0 ? Figure() : Figure(percent, Unit::Percent);
}

Figure Figure::text(std::string_view text) { return text.empty() ? Figure() : Figure(text); }

Figure Figure::quantile(const Distribution &times, double which) {
  return times.empty() ? Figure() : time(times.quantileNs(which), times.exact());
}

Figure Figure::as(std::string text) const {
  Figure figure = *this;
  figure.shown = std::move(text);
  return figure;
}

std::string Figure::forPeople() const {
  if (shown)
    return printable(*shown);
  return std::visit(
      [this]<class Value>(const Value &of) {
        if constexpr (std::is_same_v<Value, std::monostate>)
          return std::string(noValue);
        else if constexpr (std::is_same_v<Value, std::string>)
          return printable(of);
        else if constexpr (std::is_same_v<Value, bool>)
          return std::string(of ? "yes" : "no");
        else if constexpr (std::is_same_v<Value, double>)
          return inUnit(of, *this);
        else
          return unit == Unit::None ? std::to_string(of) : inUnit(static_cast<double>(of), *this);
      },
      value);
}

} // namespace graphprof
