// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof attach: asks and tells a running process.

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "Client.h"
#include "CommandLine.h"
#include "Commands.h"
#include "output/io/NearMiss.h"
#include "output/io/ReadText.h"
#include "output/io/Units.h"

namespace graphprof::tool {

namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds attachPatience{5'000};

constexpr std::string_view attachUsage =
    "usage: graphprof attach PID status [--json]\n"
    "           what the process records, and what was lost\n"
    "       graphprof attach PID start | stop\n"
    "           records from now on, or no more; with --window attach, opens or closes a window\n"
    "       graphprof attach PID flush\n"
    "           writes what was recorded until now to the outputs\n"
    "       graphprof attach PID where [--json]\n"
    "           where the replays in flight are: what has begun and not ended, what ended last, "
    "what "
    "is behind it\n"
    "       graphprof attach PID budget PRICE\n"
    "           what recording may cost, in per cent of a replay: 0.5%; none: everything is "
    "recorded\n"
    "       graphprof attach PID record [--for TIME] [--force] -o OUTPUT\n"
    "           records for some time, 10s or 500ms, into a file of its own; Ctrl-C ends it "
    "before;\n"
    "           --force also overwrites a file that is no recording of that kind\n"
    "exit status: 0 done, 1 the process cannot be reached or refuses, 2 called wrongly\n";

int misused(std::string_view what) {
  sayOf("graphprof attach", fmt::format("{}; see graphprof attach --help", what));
  return usageError;
}

int refused(std::int64_t pid, const Json &answer) {
  sayOf("graphprof attach",
        fmt::format("process {}: {}", pid, answer.value("error", std::string("no reason"))));
  return 1;
}

// "0.5%" or 0.005; "none" is negative.
std::optional<double> priceOf(std::string_view text) {
  if (text == "none")
    return -1;
  double factor = 1;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    factor = 0.01;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) ||
      number * factor > 0.5)
    return std::nullopt;
  return number * factor;
}

void showLines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    printLine("{}", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void show(const Json &status) {
  const auto text = [&](const char *name) { return status.value(name, std::string()); };
  const auto number = [&](const char *name) { return status.value(name, std::uint64_t{0}); };
  printLine("process         {}, {} on {}", number("pid"), text("program"), text("host"));
  if (status.contains("rank"))
    printLine("rank            {} of {}", status["rank"].dump(), status["ranks"].dump());
  printLine("graphprof       {}", text("version"));
  printLine("recording       {}", !status.value("permitted", true)   ? "stopped"
                                  : status.value("recording", false) ? "yes"
                                                                     : "no");
  if (const auto window = status.find("window"); window != status.end())
    printLine("window          {}, {}; {} so far", window->value("opener", std::string()),
              window->value("open", false) ? "open" : "closed",
              window->value("windows", std::uint64_t{0}));
  if (const auto budget = status.find("budget"); budget != status.end()) {
    const auto percent = [&](const char *name) {
      return (*budget)[name].is_number()
                 ? fmt::format("{:.3g} %", 100 * (*budget)[name].get<double>())
                 : std::string("unknown");
    };
    printLine("budget          {}, spent {}; at most one launch in {}, in {} parts",
              (*budget)["price"].is_null() ? "none" : percent("price"), percent("spent"),
              budget->value("one_launch_in", std::uint64_t{1}),
              budget->value("parts", std::uint64_t{1}));
  }
  printLine("launches        {}", number("launches"));
  printLine("recorded        {}", number("replays"));
  if (const std::uint64_t leftOut = number("left_out"))
    printLine("left out        {}", leftOut);
  if (const auto memory = status.find("graph_memory"); memory != status.end()) {
    const auto bytes = [&](const char *name) {
      return formatBytes(memory->value(name, std::int64_t{0}));
    };
    printLine("graph memory    {} of {} captures and {} execs: capture {}, instantiate {}, first "
              "launch {}, update and upload {}; in the graph pool {}; graphprof {} more",
              bytes("total_bytes"), memory->value("captures", std::uint64_t{0}),
              memory->value("execs", std::uint64_t{0}), bytes("capture_bytes"),
              bytes("instantiate_bytes"), bytes("first_launch_bytes"),
              bytes("update_and_upload_bytes"), bytes("graph_pool_bytes"),
              bytes("graphprof_bytes"));
  }
  std::string outputs;
  for (const Json &item : status.value("outputs", Json::array()))
    outputs += (outputs.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : "");
  printLine("outputs         {}", outputs.empty() ? "none" : outputs);
  printLine("watched by      {}", number("watchers"));
  bool anyLost = false;
  const Json losses = status.value("losses", Json::object());
  for (const auto &[name, count] : losses.items())
    if (count.is_number_unsigned() && count.get<std::uint64_t>() > 0) {
      printLine("lost            {}: {}", name, count.get<std::uint64_t>());
      anyLost = true;
    }
  if (!anyLost)
    printLine("lost            nothing");
}

std::atomic<bool> interrupted{false};

// The item with its path from the root: the process may be in another folder.
std::string fromHere(const std::string &item) {
  namespace fs = std::filesystem;
  if (item.find_first_of("/.:") == std::string::npos) // a word
    return item;
  std::error_code none;
  const std::size_t colon = item.find(':');
  const bool byWord = colon != std::string::npos &&
                      item.find_first_of("/.") > colon; // word:PATH or word+options:PATH
  const std::string word = byWord ? item.substr(0, colon + 1) : std::string();
  const fs::path path = byWord ? item.substr(colon + 1) : item;
  return word + (path.empty() ? path : fs::absolute(path, none)).native();
}

struct RecordOptions {
  double seconds = 10;
  bool force = false;
  std::string output;
};
// What is wrong; empty: nothing.
std::string readRecord(const std::vector<std::string> &words, RecordOptions &options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view option = words[i], value;
    if (option == "--force") {
      options.force = true;
      continue;
    }
    if (const std::size_t sign = option.find('=');
        option.starts_with("--") && sign != std::string_view::npos) {
      value = option.substr(sign + 1);
      option = option.substr(0, sign);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    }
    if (option == "--for") {
      const auto read = readSeconds(value);
      if (!read)
        return fmt::format("--for {}: must be a time, such as 10s, 500ms or 2m", value);
      options.seconds = *read;
    } else if (option == "-o" || option == "--output") {
      options.output = value;
    } else {
      constexpr std::array<std::string_view, 4> known = {"--for", "--force", "-o", "--output"};
      return fmt::format("unknown option {}{}", option, didYouMean(option, known));
    }
  }
  return options.output.empty() ? "record needs -o OUTPUT, such as -o trace.json" : "";
}

int record(Client &client, std::int64_t pid, const RecordOptions &options) {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = true; };
  ::sigaction(SIGINT, &action, nullptr);
  const Json answer =
      client.ask({{"command", "record"},
                  {"seconds", options.seconds},
                  {"output", fromHere(options.output)},
                  {"force", options.force}},
                 std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1000)) +
                     std::chrono::minutes(2),
                 &interrupted);
  if (!answer.value("ok", false))
    return refused(pid, answer);
  const auto replays = answer.value("replays", std::uint64_t{0});
  printLine("wrote {}: {} {}", answer.value("file", std::string()), replays,
            replays == 1 ? "replay" : "replays");
  return 0;
}

} // namespace

int attach(const std::vector<std::string> &arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    fmt::print("{}", attachUsage);
    return 0;
  }
  if (arguments.size() < 2)
    return misused("a process and a command are needed: graphprof attach PID COMMAND");
  const std::int64_t pid = readPid(arguments[0]);
  if (pid == 0)
    return misused(fmt::format("'{}' is no process's number; see graphprof ps", arguments[0]));
  const std::string &command = arguments[1];
  const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
  constexpr std::array<std::string_view, 7> known = {"status", "start",  "stop", "flush",
                                                     "budget", "record", "where"};
  if (std::find(known.begin(), known.end(), command) == known.end())
    return misused(fmt::format("unknown command '{}'{}", command, didYouMean(command, known)));
  const bool json =
      (command == "status" || command == "where") && rest == std::vector<std::string>{"--json"};
  Json request = {{"command", command}};
  if (command == "budget") {
    const auto price = rest.size() == 1 ? priceOf(rest[0]) : std::nullopt;
    if (!price)
      return misused("budget needs a price up to 50%, such as 0.5%, or none");
    request["price"] = *price;
  } else if (command != "record" && !rest.empty() && !json) {
    return misused(fmt::format("{} takes no '{}'", command, rest[0]));
  }
  RecordOptions options;
  if (command == "record")
    if (const std::string wrong = readRecord(rest, options); !wrong.empty())
      return misused(wrong);
  const Reached reached = reach(pid);
  if (!reached.client)
    return refused(pid, {{"error", reached.why}});
  if (command == "record")
    return record(*reached.client, pid, options);
  const Json answer = reached.client->ask(request, attachPatience);
  if (!answer.value("ok", false))
    return refused(pid, answer);
  if (json)
    fmt::print("{}\n", answer.dump(2));
  else if (command == "status")
    show(answer);
  else if (command == "where")
    showLines(answer.value("text", std::string()));
  return 0;
}

} // namespace graphprof::tool
