// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// bench_main(): which benchmarks run, how they are measured, and where the findings go.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/suite/Suite.h"
#include "graphprof/detail/bench_work.h"
#include "output/io/NearMiss.h"

namespace graphprof {

namespace bench_suite {
namespace {

constexpr int failedStatus = 1, mistakeStatus = 2;

// The options of the command line.
struct Arguments {
  bool list = false, quiet = false, failIfSlower = false, cold = false, warm = false;
  std::vector<std::string> filters, axes;
  std::string json, csv, compare;
  bench_options options;
  std::optional<bench_timer> timer;
};

const std::map<std::string, bench_stop> stops = {
    {"time", bench_stop::time}, {"median", bench_stop::median}, {"entropy", bench_stop::entropy}};

struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads all of `text` as a number; nullopt if it is none, or out of range.
template <class Number> std::optional<Number> numberIn(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

// An option's number for which `fits` is true.
CLI::Validator number(bool (*fits)(double), const std::string &must) {
  return {[fits, must](const std::string &text) {
            const std::optional<double> number = numberIn<double>(text);
            return number && fits(*number) ? std::string()
                                           : fmt::format("{} must be {}", text, must);
          },
          ""};
}

// What an option's line of --help says: its value, and at its end its default and what it excludes.
class HelpLine : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option *option) const override {
    if (option->get_type_size() == 0)
      return {};
    return ' ' + option->get_type_name() +
           (option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "");
  }
  std::string make_option_desc(const CLI::Option *option) const override {
    std::string text = option->get_description();
    if (const std::string value = option->get_default_str(); !value.empty())
      text += fmt::format("; {} by default", value);
    for (const CLI::Option *other : option->get_excludes())
      text += fmt::format("; not with {}", other->get_name());
    return text;
  }
};

void declareBenchmarks(CLI::App &app, Arguments &arguments) {
  app.add_flag("--list", arguments.list, "Show the benchmarks and their axes, and measure nothing");
  app.add_option("--filter", arguments.filters,
                 "Run only benchmarks whose name with parameters matches the regular expression; "
                 "may be repeated: then any of them")
      ->type_name("REGEX");
  app.add_option("--axis", arguments.axes,
                 "Values of an axis, in all benchmarks that have that axis: name=value,value")
      ->type_name("NAME=VALUES");
}

void declareFiles(CLI::App &app, Arguments &arguments) {
  app.add_option("--json", arguments.json, "Write all results to FILE, with all samples")
      ->type_name("FILE");
  app.add_option("--csv", arguments.csv, "Write a line for each result to FILE")->type_name("FILE");
  CLI::Option *const compare =
      app.add_option("--compare", arguments.compare,
                     "Compare the results with those in FILE, which --json wrote before")
          ->type_name("FILE");
  app.add_flag("--fail-if-slower", arguments.failIfSlower,
               "With --compare: exit status 1 if a result is slower")
      ->needs(compare);
  app.add_flag("--quiet", arguments.quiet, "Print no table; failures and warnings go to stderr");
}

void declareTiming(CLI::App &app, Arguments &arguments) {
  const std::map<std::string, bench_timer> timers = {{"graph", bench_timer::graph},
                                                     {"eager", bench_timer::eager},
                                                     {"stamps", bench_timer::stamps}};
  app.add_option("--timer", arguments.timer, "How to time: graph, eager or stamps")
      ->type_name("TIMER")
      ->transform(CLI::CheckedTransformer(timers).description(""));
  CLI::Option *const cold =
      app.add_flag("--cold", arguments.cold, "Measure with a cold L2 cache, in all benchmarks");
  app.add_flag("--warm", arguments.warm, "Measure with a warm L2 cache, in all benchmarks")
      ->excludes(cold);
}

void declareStopping(CLI::App &app, bench_options &options) {
  const CLI::Validator positive = number([](double n) { return n > 0; }, "above 0"),
                       notNegative = number([](double n) { return n >= 0; }, "at least 0"),
                       share = number([](double n) { return n >= 0 && n <= 1; }, "from 0 to 1");
  app.add_option("--stop", options.stop, "When to stop: time, median or entropy; median by default")
      ->type_name("RULE")
      ->transform(CLI::CheckedTransformer(stops).description(""));
  app.add_option(
         "--precision", options.relative_precision,
         "With --stop median: stop when half the median's confidence interval is this share of it")
      ->check(positive)
      ->type_name("SHARE")
      ->capture_default_str();
  CLI::Option *const time = app.add_option("--time", options.repeat_time_ms,
                                           "Milliseconds to measure; chooses --stop time")
                                ->check(notNegative)
                                ->type_name("MS")
                                ->capture_default_str();
  app.add_option(
         "--max-time", options.max_time_ms,
         "With --stop median or entropy: milliseconds after which to stop in any case. With "
         "--time: the same where flushes take longer than what is timed")
      ->check(positive)
      ->type_name("MS")
      ->capture_default_str();
  app.add_option("--iterations", options.num_iters_within_graph, "Calls of the work in one graph")
      ->check(positive)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--repeat", options.repeat_iters,
                 "Number of replays, instead of --time; chooses --stop time")
      ->check(positive)
      ->type_name("N")
      ->excludes(time);
  app.add_option("--min-sm-clock", options.min_sm_clock,
                 "Discard samples below this share of the highest SM clock")
      ->check(share)
      ->type_name("SHARE")
      ->capture_default_str();
}

// In the order in which --help shows them.
void declare(CLI::App &app, Arguments &arguments) {
  app.formatter(std::make_shared<HelpLine>());
  arguments.options.stop = bench_stop::median;
  declareBenchmarks(app, arguments);
  declareFiles(app, arguments);
  declareTiming(app, arguments);
  declareStopping(app, arguments.options);
}

// The first word that is not an option's, with the option that was meant.
std::string notExpected(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  const std::vector<std::string> words = app.remaining();
  const std::string word = words.empty() ? std::string() : words.front();
  return fmt::format("{}: no such option{}; see --help", word,
                     didYouMean(word.substr(0, word.find('=')),
                                std::vector<std::string_view>(names.begin(), names.end())));
}

// An option that counts only with one rule chooses that rule, and is refused beside another: it
// would have no effect.
void chooseRule(const CLI::App &app, bench_options &options) {
  struct Of {
    const char *option;
    bench_stop rule;
  };
  std::string chosen;
  for (const auto &[word, rule] : stops)
    if (app.count("--stop") > 0 && options.stop == rule)
      chosen = "--stop " + word;
  for (const auto &[option, rule] :
       {Of{"--repeat", bench_stop::time}, Of{"--time", bench_stop::time},
        Of{"--precision", bench_stop::median}}) {
    if (app.count(option) == 0)
      continue;
    if (chosen.empty()) {
      options.stop = rule;
      chosen = option;
    } else if (options.stop != rule) {
      throw Mistake(
          fmt::format("{} has no effect with {}; leave one of the two out", option, chosen));
    }
  }
}

std::optional<std::int64_t> integerIn(std::string_view text) {
  if (!text.starts_with("2^"))
    return numberIn<std::int64_t>(text);
  const std::optional<int> exponent = numberIn<int>(text.substr(2));
  if (!exponent || *exponent < 0 || *exponent > 62)
    return std::nullopt;
  return std::int64_t{1} << *exponent;
}

// Reads a value of an axis in the axis's own form: "2^10" for a power of two.
bench_parameter valueOf(const bench_definition::Axis &axis, const std::string &text) {
  for (const bench_parameter &known : axis.values)
    if (known.text == text)
      return known;
  bench_parameter value{axis.name, text, text};
  if (axis.values.empty() || std::holds_alternative<std::string>(axis.values.front().value))
    return value;
  const auto take = [&value](const auto &number) {
    if (number)
      value.value = *number;
    return number.has_value();
  };
  const bool taken = std::holds_alternative<double>(axis.values.front().value)
                         ? take(numberIn<double>(text))
                         : take(integerIn(text));
  if (!taken)
    throw Mistake(
        fmt::format("--axis: '{}' is not a value of {}; --list shows all", text, axis.name));
  return value;
}

std::vector<bench_definition::Axis> axesOf(const bench_definition &definition,
                                           const Arguments &arguments) {
  std::vector<bench_definition::Axis> axes = definition.axes();
  for (bench_definition::Axis &axis : axes)
    for (const std::string &setting : arguments.axes) {
      const std::size_t equals = setting.find('=');
      if (setting.substr(0, equals) != axis.name)
        continue;
      std::vector<bench_parameter> values;
      for (std::size_t begin = equals + 1; begin <= setting.size();) {
        const std::size_t end = std::min(setting.find(',', begin), setting.size());
        values.push_back(valueOf(axis, setting.substr(begin, end - begin)));
        begin = end + 1;
      }
      axis.values = std::move(values);
    }
  return axes;
}

void checkAxes(const Arguments &arguments) {
  for (const std::string &setting : arguments.axes) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw Mistake(fmt::format("--axis: '{}' is not NAME=VALUES", setting));
    bool known = false;
    for (const bench_definition &definition : definitions())
      for (const bench_definition::Axis &axis : definition.axes())
        known = known || axis.name == setting.substr(0, equals);
    if (!known)
      throw Mistake(fmt::format("--axis: no benchmark has an axis '{}'; --list shows all",
                                setting.substr(0, equals)));
  }
}

class Filter {
public:
  explicit Filter(const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      try {
        any_.emplace_back(text);
      } catch (const std::regex_error &error) {
        throw Mistake(
            fmt::format("--filter: '{}' is not a regular expression: {}", text, error.what()));
      }
  }
  [[nodiscard]] bool takes(const std::string &name) const {
    return any_.empty() || std::any_of(any_.begin(), any_.end(), [&](const std::regex &each) {
             return std::regex_search(name, each);
           });
  }

private:
  std::vector<std::regex> any_;
};

void list() {
  for (const bench_definition &definition : definitions()) {
    std::printf("%s\n", definition.name().c_str());
    for (const bench_definition::Axis &axis : definition.axes()) {
      std::printf("  %s:", axis.name.c_str());
      for (const bench_parameter &value : axis.values)
        std::printf(" %s", value.text.c_str());
      std::printf("\n");
    }
  }
}

Finding run(const bench_definition &definition, bench_state &state) {
  Finding finding;
  finding.name = state.name();
  finding.benchmark = definition.name();
  for (const bench_parameter &parameter : state.parameters())
    finding.axes.emplace_back(parameter.name, parameter.text);
  try {
    definition.run(state);
    finding.skipped = state.skipped();
    if (state.result())
      finding.result = *state.result();
    else if (finding.skipped.empty())
      finding.failed = "it measured nothing: its function did not call exec(); call it once";
  } catch (const std::exception &error) {
    finding.failed = error.what();
  }
  return finding;
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Mistake(fmt::format("{} cannot be read; check the path", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    throw Mistake(fmt::format("{} cannot be written; check the path", path));
}

int runAll(const Arguments &arguments) {
  checkAxes(arguments);
  const Filter filter(arguments.filters);
  std::vector<Finding> before;
  if (!arguments.compare.empty()) // read it first, not after an hour of measuring
    try {
      before = parsed(contents(arguments.compare));
    } catch (const Mistake &) {
      throw;
    } catch (const std::runtime_error &error) {
      throw Mistake(fmt::format("{}: {}", arguments.compare, error.what()));
    }
  std::vector<Finding> all;
  bool failed = false;
  for (const bench_definition &definition : definitions()) {
    std::vector<Finding> findings;
    for (std::vector<bench_parameter> &point : pointsOf(axesOf(definition, arguments))) {
      bench_options options = arguments.options;
      options.cold_l2_cache = arguments.cold || (!arguments.warm && definition.cold());
      bench_state state(std::move(point), options, arguments.timer.value_or(definition.timer()));
      state.named(definition.name());
      if (!filter.takes(state.name()))
        continue;
      findings.push_back(run(definition, state));
      failed = failed || !findings.back().failed.empty();
    }
    if (arguments.quiet)
      std::fprintf(stderr, "%s", complaints(findings).c_str());
    else if (!findings.empty())
      std::printf("%s\n", table(findings).c_str());
    std::fflush(stdout);
    all.insert(all.end(), std::make_move_iterator(findings.begin()),
               std::make_move_iterator(findings.end()));
  }
  if (all.empty())
    throw Mistake("no benchmark's name matches --filter; --list shows all");
  if (!arguments.json.empty())
    write(arguments.json, json(all));
  if (!arguments.csv.empty())
    write(arguments.csv, csv(all));
  bool slower = false;
  if (!arguments.compare.empty()) {
    const Comparison comparison = compared(before, all);
    std::printf("%s", comparison.text.c_str());
    slower = comparison.slower && arguments.failIfSlower;
  }
  return failed || slower ? failedStatus : 0;
}

} // namespace
} // namespace bench_suite

int v1::bench_main(int argc, const char *const *argv) {
  using namespace bench_suite;
  CLI::App app("Measures GPU work. Times are the GPU's, of one call, in graphs that are replayed.");
  Arguments arguments;
  declare(app, arguments);
  detail::withoutTable(); // before the command line is read, which may end in its help
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError &) {
    std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "bench", notExpected(app).c_str());
    return mistakeStatus;
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : mistakeStatus;
  }
  try {
    if (arguments.list) {
      list();
      return 0;
    }
    chooseRule(app, arguments.options);
    return runAll(arguments);
  } catch (const Mistake &mistake) {
    std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "bench", mistake.what());
    return mistakeStatus;
  }
}

} // namespace graphprof
