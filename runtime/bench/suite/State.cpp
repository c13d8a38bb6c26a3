// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/bench_suite.h except for the command line: definitions, their axes, and one
// point of them.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/suite/Suite.h"

namespace graphprof {

namespace {

template <class Value> struct TypeName;
template <> struct TypeName<std::int64_t> {
  static constexpr const char *text = "int64";
};
template <> struct TypeName<double> {
  static constexpr const char *text = "float64";
};
template <> struct TypeName<std::string> {
  static constexpr const char *text = "string";
};

template <class Value> std::vector<bench_parameter> parametersOf(const std::vector<Value> &values) {
  std::vector<bench_parameter> result;
  result.reserve(values.size());
  for (const Value &value : values)
    result.push_back({{}, value, fmt::format("{}", value)});
  return result;
}

} // namespace

const bench_value &bench_state::valueOf(const std::string &axis, const char *type) const {
  const auto found =
      std::find_if(parameters_.begin(), parameters_.end(),
                   [&](const bench_parameter &parameter) { return parameter.name == axis; });
  if (found == parameters_.end())
    throw bench_error(bench_fault::options,
                      fmt::format("graphprof: {} has no axis '{}'", benchmark_, axis));
  if (type !=
      std::visit([]<class Value>(const Value &) { return TypeName<Value>::text; }, found->value))
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: axis '{}' of {} is not one of {}", axis, benchmark_, type));
  return found->value;
}

std::int64_t bench_state::get_int64(const std::string &axis) const {
  return std::get<std::int64_t>(valueOf(axis, TypeName<std::int64_t>::text));
}
double bench_state::get_float64(const std::string &axis) const {
  return std::get<double>(valueOf(axis, TypeName<double>::text));
}
const std::string &bench_state::get_string(const std::string &axis) const {
  return std::get<std::string>(valueOf(axis, TypeName<std::string>::text));
}

std::string bench_state::name() const {
  std::string text = benchmark_;
  for (const bench_parameter &parameter : parameters_)
    text += fmt::format("{}{}={}", &parameter == &parameters_.front() ? "[" : ",", parameter.name,
                        parameter.text);
  return parameters_.empty() ? text : text + "]";
}

void bench_state::measured(bench_result result) {
  if (isMeasured_)
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: {} calls exec() twice; call it once for each point", benchmark_));
  result_ = std::move(result);
  isMeasured_ = true;
}

bench_definition &bench_definition::add(std::string name, std::vector<bench_parameter> values) {
  for (bench_parameter &value : values)
    value.name = name;
  axes_.push_back({std::move(name), std::move(values)});
  return *this;
}
bench_definition &bench_definition::add_int64_axis(std::string name,
                                                   const std::vector<std::int64_t> &values) {
  return add(std::move(name), parametersOf(values));
}
bench_definition &
bench_definition::add_int64_power_of_two_axis(std::string name,
                                              const std::vector<std::int64_t> &exponents) {
  std::vector<bench_parameter> values;
  values.reserve(exponents.size());
  for (const std::int64_t exponent : exponents)
    values.push_back({{}, std::int64_t{1} << exponent, fmt::format("2^{}", exponent)});
  return add(std::move(name), std::move(values));
}
bench_definition &bench_definition::add_float64_axis(std::string name,
                                                     const std::vector<double> &values) {
  return add(std::move(name), parametersOf(values));
}
bench_definition &bench_definition::add_string_axis(std::string name,
                                                    const std::vector<std::string> &values) {
  return add(std::move(name), parametersOf(values));
}
bench_definition &bench_definition::set_name(std::string name) {
  name_ = std::move(name);
  return *this;
}
bench_definition &bench_definition::set_timer(bench_timer timer) {
  timer_ = timer;
  return *this;
}
bench_definition &bench_definition::set_cold_l2_cache(bool cold) {
  cold_ = cold;
  return *this;
}

namespace bench_suite {

std::deque<bench_definition> &definitions() {
  static auto *const all = new std::deque<bench_definition>; // filled before main()
  return *all;
}

std::vector<std::vector<bench_parameter>>
pointsOf(const std::vector<bench_definition::Axis> &axes) {
  std::vector<std::vector<bench_parameter>> points = {{}};
  for (const bench_definition::Axis &axis : axes) {
    std::vector<std::vector<bench_parameter>> longer;
    for (const std::vector<bench_parameter> &point : points)
      for (const bench_parameter &value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

} // namespace bench_suite

bench_definition &v1::register_bench(std::string name, bench_definition::Function function) {
  return bench_suite::definitions().emplace_back(std::move(name), std::move(function));
}

} // namespace graphprof
