// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Benchmarks with their axes, and one point of them: what graphprof/bench_suite.h registers and
// runs. Includes no CUDA header.
//
// Source: NVIDIA nvbench, whose names it has.

#ifndef GRAPHPROF_BENCH_STATE_H
#define GRAPHPROF_BENCH_STATE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "graphprof/bench_result.h"

namespace graphprof {
inline namespace v1 {

/// A value of an axis.
using bench_value = std::variant<std::int64_t, double, std::string>;

/// An axis's name, and one of its values.
struct bench_parameter {
  std::string name;
  bench_value value;
  /// As shown, and as given on a command line: "4096", "2^12", "half".
  std::string text;
};

/// One point of a benchmark's axes. The benchmark's function reads its parameters here, and
/// measures with exec().
class bench_state {
public:
  bench_state(std::vector<bench_parameter> parameters, const bench_options &options,
              bench_timer timer)
      : options(options), timer(timer), parameters_(std::move(parameters)) {}

  /// The value of an axis. Throws bench_error if there is no axis of that name and type.
  [[nodiscard]] std::int64_t get_int64(const std::string &axis) const;
  [[nodiscard]] double get_float64(const std::string &axis) const;
  [[nodiscard]] const std::string &get_string(const std::string &axis) const;

  /// What one iteration does; they add up.
  template <class T = char> void add_global_memory_reads(std::size_t count) {
    options.bytes += count * sizeof(T);
  }
  template <class T = char> void add_global_memory_writes(std::size_t count) {
    options.bytes += count * sizeof(T);
  }
  void add_flops(double count) { options.flops += count; }

  /// Leaves this point out, and says why. The function must then return.
  void skip(std::string reason) { skipped_ = std::move(reason); }

  /// Measures, as bench() does, under name(). Once for each point. Defined in bench_suite.h.
  template <class Function, class... Arguments>
  void exec(Function &&fn, const std::tuple<Arguments...> &input_args);
  template <class Function> void exec(Function &&fn);

  /// As on the command line. A function may change them before exec().
  bench_options options;
  bench_timer timer;

  [[nodiscard]] const std::vector<bench_parameter> &parameters() const { return parameters_; }
  /// "copy[bytes=2^20]"; "copy" without axes.
  [[nodiscard]] std::string name() const;
  void named(std::string benchmark) { benchmark_ = std::move(benchmark); }
  /// Empty: it was not skipped.
  [[nodiscard]] const std::string &skipped() const { return skipped_; }
  /// Null: nothing was measured.
  [[nodiscard]] const bench_result *result() const { return isMeasured_ ? &result_ : nullptr; }

private:
  void measured(bench_result result);
  [[nodiscard]] const bench_value &valueOf(const std::string &axis, const char *type) const;

  std::vector<bench_parameter> parameters_;
  std::string benchmark_, skipped_;
  bench_result result_;
  bool isMeasured_ = false;
};

/// A registered benchmark. Its function runs at each point of its axes, the last one changing
/// first.
class bench_definition {
public:
  using Function = std::function<void(bench_state &)>;

  bench_definition(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}

  bench_definition &add_int64_axis(std::string name, const std::vector<std::int64_t> &values);
  /// 2 to the power of each.
  bench_definition &add_int64_power_of_two_axis(std::string name,
                                                const std::vector<std::int64_t> &exponents);
  bench_definition &add_float64_axis(std::string name, const std::vector<double> &values);
  bench_definition &add_string_axis(std::string name, const std::vector<std::string> &values);
  bench_definition &set_name(std::string name);
  /// The default is graphs with a cold cache. The command line overrides both.
  bench_definition &set_timer(bench_timer timer);
  bench_definition &set_cold_l2_cache(bool cold);

  struct Axis {
    std::string name;
    std::vector<bench_parameter> values;
  };
  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] const std::vector<Axis> &axes() const { return axes_; }
  [[nodiscard]] bench_timer timer() const { return timer_; }
  [[nodiscard]] bool cold() const { return cold_; }
  void run(bench_state &state) const { function_(state); }

private:
  bench_definition &add(std::string name, std::vector<bench_parameter> values);

  std::string name_;
  Function function_;
  std::vector<Axis> axes_;
  bench_timer timer_ = bench_timer::graph;
  bool cold_ = true;
};

/// Adds a benchmark to the program. The returned reference stays valid.
bench_definition &register_bench(std::string name, bench_definition::Function function);

/// Runs what the command line asks for. Returns the exit status: 0; 1 if a benchmark failed, or was
/// slower with --fail-if-slower; 2 after a mistake in the command line or an unreadable file.
int bench_main(int argc, const char *const *argv);

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_BENCH_STATE_H
