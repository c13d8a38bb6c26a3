// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof top: what takes the time in a running process, while it runs.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <curses.h>
#include <fmt/format.h>
#include <unistd.h>

#include "Client.h"
#include "CommandLine.h"
#include "Commands.h"
#include "TopTable.h"

namespace graphprof::tool {

namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds topPatience{2'000};
constexpr int lookMs = 100; // for keys
constexpr std::chrono::milliseconds betweenAnswers{1'000};
constexpr const char *keys =
    "q quit  s sort  / filter  space freeze  r record 10 s  p next process  arrows scroll";

constexpr std::string_view topUsage =
    "usage: graphprof top [PID]\n"
    "    shows the regions and kernels of a running process by their share of its replays; of the\n"
    "    first process of yours that can be reached, without PID (graphprof ps)\n"
    "exit status: 0 ended by q, 1 no process or no terminal, 2 called wrongly\n";

// A recording that runs beside the display, over a connection of its own.
class Recording {
public:
  ~Recording() { wait(); }
  Recording() = default;
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  void begin(std::int64_t pid, const std::string &file) {
    if (running_)
      return;
    wait();
    running_ = true;
    said(fmt::format("recording 10 s into {}", file));
    thread_ = std::thread([this, pid, file] {
      const Reached reached = reach(pid);
      const Json answer =
          reached.client
              ? reached.client->ask({{"command", "record"}, {"seconds", 10.0}, {"output", file}},
                                    std::chrono::minutes(2), &ending_)
              : Json{{"ok", false}, {"error", reached.why}};
      said(answer.value("ok", false)
               ? fmt::format("wrote {}: {} replays", answer.value("file", std::string()),
                             answer.value("replays", std::uint64_t{0}))
               : fmt::format("not recorded: {}", answer.value("error", std::string())));
      running_ = false;
    });
  }
  [[nodiscard]] std::string says() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

private:
  void said(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  void wait() {
    ending_ = true;
    if (thread_.joinable())
      thread_.join();
    ending_ = false;
  }

  std::atomic<bool> running_{false}, ending_{false};
  std::thread thread_;
  mutable std::mutex mutex_;
  std::string text_;
};

// The terminal while it shows us.
class Screen {
public:
  Screen() {
    std::setlocale(LC_ALL, ""); // NOLINT(concurrency-mt-unsafe): no other thread yet
    screen_ = newterm(nullptr, stdout, stdin);
    if (!screen_)
      return;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout(lookMs);
  }
  ~Screen() {
    if (!screen_)
      return;
    endwin();
    delscreen(screen_);
  }
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  [[nodiscard]] bool works() const { return screen_ != nullptr; }
  static void line(int at, const std::string &text, attr_t attributes = A_NORMAL) {
    move(at, 0);
    clrtoeol();
    attrset(attributes);
    addnstr(text.c_str(), std::max(COLS - 1, 0));
    attrset(A_NORMAL);
  }

private:
  SCREEN *screen_ = nullptr;
};

class Display {
public:
  explicit Display(Reached process) : process_(std::move(process)) {}

  void run() {
    auto next = std::chrono::steady_clock::now();
    for (;;) {
      if (const auto now = std::chrono::steady_clock::now(); now >= next) {
        if (!frozen_)
          ask();
        next = now + betweenAnswers;
      }
      show();
      if (!handle(getch()))
        return;
    }
  }

private:
  void ask() {
    const Json answer = process_.client
                            ? process_.client->ask({{"command", "metrics"}}, topPatience)
                            : Json{{"ok", false}, {"error", process_.why}};
    try {
      if (answer.value("ok", false)) {
        table_.take(answer);
        trouble_.clear();
        return;
      }
      trouble_ = answer.value("error", std::string());
    } catch (const Json::exception &) {
      trouble_ = "it has another version of graphprof";
    }
    if (!process_.client || process_.client->isBroken())
      process_ = reach(process_.pid);
  }

  void show() {
    int at = 0;
    std::vector<std::string> heading = table_.heading();
    if (heading.empty())
      heading = {fmt::format("{}", process_.pid)};
    if (!trouble_.empty())
      heading.front() += ": " + trouble_;
    for (const std::string &text : heading)
      Screen::line(at++, text);
    std::string state = fmt::format("sorted by {}", wordOf(sort_));
    if (!filter_.empty() || typing_)
      state += fmt::format(", filter: {}{}", filter_, typing_ ? "_" : "");
    if (frozen_)
      state += ", frozen";
    if (const std::string said = recording_.says(); !said.empty())
      state += "; " + said;
    Screen::line(at++, state);
    Screen::line(at++, table_.columns(), A_REVERSE);
    const std::vector<TopTable::Row> rows = table_.rows(sort_, filter_);
    const int room = std::max(LINES - at - 1, 0);
    first_ = std::clamp(first_, 0, std::max(static_cast<int>(rows.size()) - room, 0));
    for (int i = 0; i < room; ++i) {
      const std::size_t row = static_cast<std::size_t>(first_) + static_cast<std::size_t>(i);
      Screen::line(at + i, row < rows.size() ? table_.line(rows[row]) : "");
    }
    Screen::line(LINES - 1, keys, A_DIM);
    refresh();
  }

  // False: quit.
  bool handle(int key) {
    if (key == ERR || key == KEY_RESIZE)
      return true;
    if (typing_) {
      type(key);
      return true;
    }
    switch (key) {
    case 'q':
    case 3: // Ctrl-C, where it is a key
      return false;
    case 's':
      sort_ = sort_ == TopSort::Name ? TopSort::Share
                                     : static_cast<TopSort>(static_cast<int>(sort_) + 1);
      break;
    case '/':
      typing_ = true;
      filter_.clear();
      break;
    case ' ':
    case 'f':
      frozen_ = !frozen_;
      break;
    case 'r':
      recording_.begin(process_.pid, fileName());
      break;
    case 'p':
      nextProcess();
      break;
    case KEY_DOWN:
      ++first_;
      break;
    case KEY_UP:
      --first_;
      break;
    case KEY_NPAGE:
      first_ += LINES / 2;
      break;
    case KEY_PPAGE:
      first_ -= LINES / 2;
      break;
    case KEY_HOME:
      first_ = 0;
      break;
    default:
      break;
    }
    return true;
  }

  void type(int key) {
    if (key == '\n' || key == '\r' || key == KEY_ENTER || key == 27)
      typing_ = false;
    else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && !filter_.empty())
      filter_.pop_back();
    else if (key >= ' ' && key < 127)
      filter_ += static_cast<char>(key);
    if (key == 27) // Escape
      filter_.clear();
  }

  // In the folder where top was called.
  [[nodiscard]] std::string fileName() {
    const std::unique_ptr<char, void (*)(void *)> folder(::getcwd(nullptr, 0), std::free);
    return fmt::format("{}/graphprof-{}-{}.json", folder ? folder.get() : "/tmp", process_.pid,
                       ++recorded_);
  }

  void nextProcess() {
    std::vector<Reached> all = reachAll();
    const auto after = std::find_if(all.begin(), all.end(), [this](const Reached &one) {
      return one.client && one.pid > process_.pid;
    });
    const auto first = std::find_if(all.begin(), all.end(),
                                    [](const Reached &one) { return one.client != nullptr; });
    if (first == all.end())
      return;
    process_ = std::move(after != all.end() ? *after : *first);
    table_ = {};
    first_ = 0;
    ask();
  }

  Reached process_;
  TopTable table_;
  Recording recording_;
  std::string trouble_, filter_;
  TopSort sort_ = TopSort::Share;
  bool frozen_ = false, typing_ = false;
  int first_ = 0; // the first row that is shown
  int recorded_ = 0;
};

int fail(int status, std::string_view why) {
  sayOf("graphprof top", why);
  return status;
}

} // namespace

int top(const std::vector<std::string> &arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    fmt::print("{}", topUsage);
    return 0;
  }
  if (arguments.size() > 1 || (arguments.size() == 1 && readPid(arguments[0]) == 0))
    return fail(usageError,
                fmt::format("'{}' is no process's number; see graphprof ps", arguments.back()));
  Reached process;
  if (arguments.empty()) {
    std::vector<Reached> all = reachAll();
    const auto first = std::find_if(all.begin(), all.end(),
                                    [](const Reached &one) { return one.client != nullptr; });
    if (first == all.end())
      return fail(1, nobody());
    process = std::move(*first);
  } else {
    process = reach(readPid(arguments[0]));
    if (!process.client)
      return fail(1, fmt::format("process {}: {}", process.pid, process.why));
  }
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    return fail(1, "needs a terminal; for a script there is graphprof attach PID status --json");
  const Screen screen;
  if (!screen.works())
    return fail(1, "this terminal is not known; set TERM, to xterm for example");
  Display(std::move(process)).run();
  return 0;
}

} // namespace graphprof::tool
