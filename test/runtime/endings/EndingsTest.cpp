// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Programs that end in every way: with graphprof they say and return what they say and return
// without, soon, and what graphprof writes is whole or not there.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/Child.h"
#include "support/Every.h"

namespace graphprof::test {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone at the end.
class Endings : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "graphprof-endings-XXXXXX").string();
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the program as it is, with graphprof switched off, and with it: all three are alike.
  void endsAsWithoutUs(const std::string &plain, const std::string &instrumented) {
    const Child without = runChild(plain);
    ASSERT_NE("", without.output);
    const Child off = runChild("GRAPHPROF_ENABLED=0 " + instrumented);
    EXPECT_EQ(without.status, off.status);
    EXPECT_EQ(without.output, off.output);

    const auto begin = std::chrono::steady_clock::now();
    const Child with =
        runChild("GRAPHPROF_EXIT_TIMEOUT=1000 GRAPHPROF_OUTPUT=table:" + path("table") + ',' +
                 path("trace.json") + ' ' + instrumented);
    took_ = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(without.status, with.status);
    EXPECT_EQ(without.output, with.output);
    EXPECT_LT(took_, std::chrono::seconds(30));
  }
  void endsAsWithoutUs(const std::string &way) {
    endsAsWithoutUs(ENDING_PROGRAM_PLAIN " " + way, ENDING_PROGRAM " " + way);
  }
  /// As it is, but under the address sanitizer a forked child must not look for leaks: what the
  /// threads held that it does not have seems to be one.
  void forks(const std::string &way) {
    const char *given = std::getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", (std::string(given ? given : "") + ":detect_leaks=0").c_str(), 1);
    endsAsWithoutUs(way);
  }

  [[nodiscard]] std::string path(const std::string &name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string text(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  /// How often the trace names a region; -1: it is no JSON.
  [[nodiscard]] int regions(const std::string &name) const {
    const auto trace = nlohmann::json::parse(text("trace.json"), nullptr, false);
    if (trace.is_discarded())
      return -1;
    int count = 0;
    for (const auto &event : trace["traceEvents"])
      count += event.value("ph", "") == "X" && event.value("cat", "") == "graphprof_region" &&
                       event.value("name", "") == name
                   ? 1
                   : 0;
    return count;
  }
  /// How many lines of a file begin so.
  [[nodiscard]] int lines(const std::string &name, const std::string &begin) const {
    std::istringstream stream(text(name));
    int count = 0;
    for (std::string line; std::getline(stream, line);)
      count += line.starts_with(begin) ? 1 : 0;
    return count;
  }
  /// How many of the lines are records of the region "second"; -1: one of them is no JSON.
  [[nodiscard]] static int records(const std::string &lines) {
    std::istringstream stream(lines);
    int count = 0;
    for (std::string line; std::getline(stream, line);) {
      const auto object = nlohmann::json::parse(line, nullptr, false);
      if (object.is_discarded())
        return -1;
      count += object.value("type", "") == "record" && object.value("name", "") == "second" ? 1 : 0;
    }
    return count;
  }
  /// The number that a query of a database returns.
  [[nodiscard]] int rows(const std::string &name, const std::string &query) const {
    const Child python =
        runChild("python3 -c 'import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1])"
                 ".execute(sys.argv[2]).fetchone()[0])' " +
                 path(name) + " \"" + query + '"');
    EXPECT_EQ(0, python.status);
    return python.output.empty() ? -1 : std::stoi(python.output);
  }
  static constexpr bool sqlite() { return GRAPHPROF_TEST_SQLITE != 0; }
  void nothingIsWritten() const { EXPECT_TRUE(fs::is_empty(folder_)); }
  /// Table and trace, and nothing else.
  void allIsWritten(int replays) const {
    EXPECT_NE(std::string::npos, text("table").find("second"));
    EXPECT_EQ(replays, regions("second"));
    EXPECT_EQ(2, std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
  std::chrono::steady_clock::duration took_{};
};

TEST_F(Endings, ReturnFromMain) {
  endsAsWithoutUs("return");
  allIsWritten(4);
}

TEST_F(Endings, Exit) {
  endsAsWithoutUs("exit");
  allIsWritten(4);
}

TEST_F(Endings, ExitOnAnotherThread) {
  endsAsWithoutUs("exit-elsewhere");
  allIsWritten(5);
}

TEST_F(Endings, DeviceResetBeforeTheEnd) {
  endsAsWithoutUs("reset");
  allIsWritten(4);
}

TEST_F(Endings, DeviceResetDuringReplays) {
  // The device is reset with replays in flight.
  endsAsWithoutUs("reset-in-flight");
  allIsWritten(4 + 8 + 3);
}

// What was under way may be lost; what comes in the device's next life is not.
TEST_F(Endings, UnseenDeviceReset) {
  endsAsWithoutUs("reset-unseen");
  EXPECT_GE(regions("second"), 3);
  EXPECT_EQ(std::string::npos, text("table").find("not timed"));
  EXPECT_LT(took_, std::chrono::seconds(15));
}

TEST_F(Endings, Sigterm) {
  endsAsWithoutUs("SIGTERM");
  allIsWritten(4);
}

class SigtermInAWait : public Endings, public ::testing::WithParamInterface<const char *> {};

// The program must not see that a signal came: pause(), poll() and sleep() do not return.
TEST_P(SigtermInAWait, LaterCodeDoesNotRun) {
  endsAsWithoutUs(GetParam());
  allIsWritten(4);
}

INSTANTIATE_TEST_SUITE_P(Endings, SigtermInAWait,
                         ::testing::Values("SIGTERM-pause", "SIGTERM-poll", "SIGTERM-sleep"),
                         [](const auto &info) { return std::string(info.param).substr(8); });

TEST_F(Endings, SigtermBesideAnExit) { endsAsWithoutUs("SIGTERM-beside-exit"); }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRAPHPROF_TEST_TSAN // has a thread of its own, which never ends
#endif
#endif
#ifndef GRAPHPROF_TEST_TSAN
TEST_F(Endings, PthreadExitOfMainThread) {
  endsAsWithoutUs("pthread_exit");
  allIsWritten(4);
}

TEST_F(Endings, PthreadExitOfMainComesFirst) {
  // The main thread ends with pthread_exit before another thread ends.
  endsAsWithoutUs("pthread_exit-first");
  allIsWritten(5);
}
#endif

TEST_F(Endings, PendingPthreadCancel) {
  endsAsWithoutUs("cancelled");
  allIsWritten(4);
}

TEST_F(Endings, FloatSettingsAreKept) {
  // A program with its own rounding and traps.
  endsAsWithoutUs("floats");
  allIsWritten(4);
}

// What cannot be written ends neither the program nor its exit.
TEST_F(Endings, FileSizeLimitEndsNothing) {
  const auto limited = [this](const std::string &program) {
    return "sh -c 'ulimit -f 8; exec " + program + " return 2>" + path("said") + '\'';
  };
  const Child plain = runChild(limited(ENDING_PROGRAM_PLAIN));
  const Child with =
      runChild("GRAPHPROF_OUTPUT=" + path("run.json") + ',' + path("run.dot") +
               (sqlite() ? ',' + path("run.db") : "") + ' ' + limited(ENDING_PROGRAM));
  EXPECT_EQ(plain.status, with.status);
  EXPECT_EQ(plain.output, with.output);
  EXPECT_EQ(sqlite(), text("said").find("run.db") != std::string::npos) << text("said");
}

TEST_F(Endings, UnreadStandardError) {
  const std::string script = "python3 -c 'import os, subprocess, sys\n"
                             "read, write = os.pipe()\n"
                             "os.set_blocking(write, False)\n"
                             "try:\n"
                             "    while True: os.write(write, b\"x\" * 4096)\n"
                             "except BlockingIOError: os.set_blocking(write, True)\n"
                             "if sys.argv[1] == \"closed\": os.close(read)\n"
                             "sys.exit(subprocess.run(sys.argv[2:], stderr=write).returncode)' ";
  const Child plain = runChild(ENDING_PROGRAM_PLAIN " return");
  for (const std::string kind : {"full ", "closed "}) {
    std::string command = "GRAPHPROF_OUTPUT=table,replays timeout 50 ";
    command.append(script).append(kind).append(ENDING_PROGRAM " return");
    const Child with = runChild(command);
    EXPECT_EQ(plain.status, with.status) << kind;
    EXPECT_EQ(plain.output, with.output) << kind;
  }
}

// A user who runs it must not make it write files, or run what is in the user's PATH, as its owner.
TEST_F(Endings, SetuidProgramIsLeftAlone) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can make such a program";
  const fs::path program = folder_ / "program", made = folder_ / "made";
  fs::permissions(folder_, fs::perms::all);
  fs::copy_file(ENDING_PROGRAM, program);
  fs::create_directory(made);
  ASSERT_EQ(0, chmod(program.c_str(), 04755));
  const Child plain = runChild(ENDING_PROGRAM_PLAIN " return");
  const Child with =
      runChild("setpriv --reuid 65534 --regid 65534 --clear-groups env "
               "GRAPHPROF_OUTPUT=table," +
               (made / "run.csv").string() + ' ' + program.string() + " return 2>&1");
  EXPECT_EQ(plain.status, with.status);
  EXPECT_EQ(plain.output, with.output) << "no table either";
  EXPECT_TRUE(fs::is_empty(made));
}

TEST_F(Endings, CtrlC) {
  endsAsWithoutUs("SIGINT");
  allIsWritten(4);
}

TEST_F(Endings, SigtermTwiceEndsAtOnce) {
  endsAsWithoutUs("SIGTERM-twice");
  EXPECT_LT(took_, std::chrono::seconds(15)) << "two seconds at most, and what the machine adds";
}

// A callback that does not return: the signal takes its course all the same.
TEST_F(Endings, SigtermEndsWhatHangs) {
  endsAsWithoutUs("SIGTERM-hang");
  EXPECT_LT(took_, std::chrono::seconds(15));
}

TEST_F(Endings, HandledSigterm) {
  endsAsWithoutUs("SIGTERM-handled");
  allIsWritten(4);
}

TEST_F(Endings, LaterHandledSigterm) {
  endsAsWithoutUs("SIGTERM-handled-later");
  allIsWritten(4);
}

TEST_F(Endings, AwaitedSigterm) {
  endsAsWithoutUs("SIGTERM-waited");
  allIsWritten(4);
}

// As with nohup, and for a shell's background jobs.
TEST_F(Endings, IgnoredSigint) {
  const auto ignoring = [](const std::string &program) {
    return "sh -c 'trap \"\" INT; exec " + program + " SIGINT-ignored'";
  };
  endsAsWithoutUs(ignoring(ENDING_PROGRAM_PLAIN), ignoring(ENDING_PROGRAM));
  allIsWritten(4);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAPHPROF_TEST_SANITIZED // Python cannot load what they have made
#endif
#endif
#ifndef GRAPHPROF_TEST_SANITIZED
// Python handles Ctrl-C itself where nobody else does.
TEST_F(Endings, CtrlCInPython) {
  const auto python = [](const std::string &plugin) {
    return "python3 -c 'import ctypes, os, signal\n"
           "ctypes.CDLL(\"" +
           plugin +
           "\").pluginRun(2)\n"
           "try:\n"
           "    os.kill(os.getpid(), signal.SIGINT)\n"
           "    signal.pause()\n"
           "except KeyboardInterrupt:\n"
           "    print(\"interrupted\")'";
  };
  endsAsWithoutUs(python(ENDING_PLUGIN_PLAIN), python(ENDING_PLUGIN));
  allIsWritten(6);
}
#endif

class Abruptly : public Endings, public ::testing::WithParamInterface<const char *> {};

TEST_P(Abruptly, NothingIsHalfWritten) {
  // Nothing is written, and nothing is half.
  endsAsWithoutUs(GetParam());
  nothingIsWritten();
}

INSTANTIATE_TEST_SUITE_P(Endings, Abruptly,
                         ::testing::Values("quick_exit", "quick_exit-elsewhere", "_exit", "abort",
                                           "SIGSEGV", "throw"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

class AbruptlyStreamed : public Endings, public ::testing::WithParamInterface<const char *> {};

// Two replays of two regions were flushed; more may have come through.
TEST_P(AbruptlyStreamed, FlushedRecordsAreThere) {
  const std::string arguments = std::string(" ") + GetParam() + " flushed";
  const Child plain = runChild(ENDING_PROGRAM_PLAIN + arguments);
  const Child with = runChild("GRAPHPROF_OUTPUT=" + path("run.csv") + ',' + path("run.jsonl") +
                              ',' + path("run.gprof") + (sqlite() ? ',' + path("run.db") : "") +
                              ' ' + ENDING_PROGRAM + arguments);
  EXPECT_EQ(plain.status, with.status);
  EXPECT_EQ(plain.output, with.output);

  EXPECT_GE(lines("run.csv", "second,second,"), 2);
  EXPECT_GE(records(text("run.jsonl")), 2);
  const Child converted =
      runChild(GRAPHPROF_CONVERT " " + path("run.gprof") + ' ' + path("converted.jsonl"));
  EXPECT_EQ(0, converted.status);
  EXPECT_GE(records(text("converted.jsonl")), 2);
  if (sqlite())
    EXPECT_GE(rows("run.db", "SELECT count(*) FROM timings WHERE name = 'second'"), 2);
}

INSTANTIATE_TEST_SUITE_P(Endings, AbruptlyStreamed,
                         ::testing::Values("quick_exit", "_exit", "abort", "SIGTERM", "SIGSEGV",
                                           "throw"));

// The replays and regions of a trace that have times of the device, with their times since the
// epoch.
std::multiset<std::string> onTheDevice(const nlohmann::json &trace) {
  std::multiset<std::string> found;
  const auto baseNs = trace["baseTimeNanoseconds"].get<std::int64_t>();
  for (nlohmann::json event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    if ((category != "graphprof_replay" && category != "graphprof_region") ||
        event["args"].value("clock", "") == "host")
      continue;
    // Rows for what overlaps are numbered as they are needed, those of the host's among them.
    if (constexpr std::uint64_t furtherRows = 1'000'000; event["tid"] >= furtherRows)
      event["tid"] = "a further row";
    event["ts"] = baseNs + std::llround(event["ts"].get<double>() * 1e3);
    found.insert(event.dump());
  }
  return found;
}

std::multiset<std::string> linesOf(const std::string &text) {
  std::multiset<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.insert(line);
  return lines;
}

// The converter makes of the binary file what the program itself wrote.
TEST_F(Endings, OutputsCanBeMadeLater) {
  const auto outputs = [this](const std::string &name, const char *separator) {
    std::string list;
    for (const char *prefix : {"table:", "replays:"})
      list += prefix + path(name + '.' + prefix) + separator;
    for (const char *ending : {".csv", ".jsonl", ".json"})
      list += path(name + ending) + separator;
    return list;
  };
  const Child run = runChild("GRAPHPROF_OUTPUT=" + outputs("own", ",") + path("run.gprof") + ' ' +
                             ENDING_PROGRAM + " statics");
  EXPECT_EQ(3 * 256, run.status);
  const Child converted =
      runChild(GRAPHPROF_CONVERT " " + path("run.gprof") + ' ' + outputs("made", " "));
  EXPECT_EQ(0, converted.status);
  EXPECT_EQ("", converted.output);
  for (const char *ending : {".table:", ".replays:", ".csv"}) {
    EXPECT_NE("", text(std::string("own") + ending)) << ending;
    EXPECT_EQ(text(std::string("own") + ending), text(std::string("made") + ending)) << ending;
  }
  // Metadata goes with whatever is written just then.
  EXPECT_GE(linesOf(text("own.jsonl")).size(), 2U);
  EXPECT_EQ(linesOf(text("own.jsonl")), linesOf(text("made.jsonl")));
  // A trace that is made later has what was on the device; host spans were not asked for.
  const auto own = nlohmann::json::parse(text("own.json")),
             made = nlohmann::json::parse(text("made.json"));
  EXPECT_NE(own["traceName"], made["traceName"]);
  EXPECT_FALSE(onTheDevice(own).empty());
  EXPECT_EQ(onTheDevice(own), onTheDevice(made));
  EXPECT_EQ(own["deviceProperties"], made["deviceProperties"]);
}

// All but what the trace is called.
std::string withoutName(std::string trace) {
  const std::size_t at = trace.find("\"traceName\":");
  return at == std::string::npos ? trace : trace.erase(at, trace.find('\n', at) - at);
}

TEST_F(Endings, LaterTraceHasHostSpans) {
  // With host spans, a trace that is made later is the same.
  const auto outputs = [this](const std::string &name, const char *separator) {
    std::string list;
    for (const char *ending : {".jsonl", ".json"})
      list += path(name + ending) + separator;
    return list + "key_averages+statistics:" + path(name + ".averages") + separator;
  };
  const std::string environment =
      "GRAPHPROF_HOST_SPANS=1 RANK=5 WORLD_SIZE=8 GRAPHPROF_OUTPUT=" + outputs("own", ",");
  EXPECT_EQ(3 * 256,
            runChild(environment + path("run.gprof") + ' ' + ENDING_PROGRAM + " statics").status);
  // What makes a process one of a job is the file's to say.
  const Child converted =
      runChild(GRAPHPROF_CONVERT " " + path("run.gprof") + ' ' + outputs("made", " "));
  EXPECT_EQ(0, converted.status);
  const std::string own = withoutName(text("own.json"));
  EXPECT_NE(std::string::npos, own.find("\"labels\":\"CPU, rank 5\""));
  EXPECT_NE(std::string::npos, own.find("\"cat\":\"cpu_op\""));
  EXPECT_NE(std::string::npos, own.find("\"ph\":\"s\""));
  EXPECT_EQ(own, withoutName(text("made.json")));
  EXPECT_NE(std::string::npos, text("own.averages").find("cudaGraphLaunch"));
  EXPECT_EQ(text("own.averages"), text("made.averages"));
  EXPECT_EQ(linesOf(text("own.jsonl")), linesOf(text("made.jsonl")));
  EXPECT_NE(std::string::npos, text("own.jsonl").find("\"type\":\"host_span\""));
}

TEST_F(Endings, FailedConversionFails) {
  // What cannot be converted is a failure.
  std::ofstream(folder_ / "text.gprof") << "no such thing";
  const std::string convert = GRAPHPROF_CONVERT " ";
  constexpr int wrong = 256, wronglyUsed = 2 * 256; // statuses 1 and 2
  EXPECT_EQ(wrong, runChild(convert + path("text.gprof") + ' ' + path("a.csv")).status);
  EXPECT_EQ(wrong, runChild(convert + path("none.gprof") + ' ' + path("a.csv")).status);
  EXPECT_EQ(wronglyUsed, runChild(convert + path("text.gprof") + " a.{x}.csv").status);
  EXPECT_EQ(wronglyUsed, runChild(convert + path("text.gprof") + " tabel").status);
  EXPECT_EQ(wronglyUsed, runChild(convert + path("text.gprof")).status);
  EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));

  EXPECT_EQ(
      3 * 256,
      runChild("GRAPHPROF_OUTPUT=" + path("run.gprof") + ' ' + ENDING_PROGRAM + " return").status);
  EXPECT_EQ(
      wronglyUsed,
      runChild(convert + path("run.gprof") + ' ' + path("no/a.csv") + ' ' + path("a.csv")).status);
  EXPECT_FALSE(fs::exists(path("a.csv"))) << "refused before anything is written";
}

// What a command says on both its standard streams.
Child withErrors(const std::string &command) { return runChild("sh -c '" + command + " 2>&1'"); }

// It is no program that is recorded, though it has a program's environment.
TEST_F(Endings, ConverterRecordsNothing) {
  EXPECT_EQ(
      3 * 256,
      runChild("GRAPHPROF_OUTPUT=" + path("run.gprof") + ' ' + ENDING_PROGRAM + " return").status);
  const std::string before = text("run.gprof");
  const std::string convert = "GRAPHPROF_OUTPUT=table," + path("run.gprof") + ' ' +
                              GRAPHPROF_CONVERT + ' ' + path("run.gprof") + ' ';
  const Child table = withErrors(convert + "table");
  EXPECT_EQ(0, table.status);
  EXPECT_NE(std::string::npos, table.output.find("second"));
  EXPECT_EQ(std::string::npos, table.output.find("nothing was recorded"));
  EXPECT_EQ(before, text("run.gprof"));
}

TEST_F(Endings, ConverterKeepsItsInput) {
  // The converter does not write over what it reads.
  EXPECT_EQ(
      3 * 256,
      runChild("GRAPHPROF_OUTPUT=" + path("run.gprof") + ' ' + ENDING_PROGRAM + " return").status);
  const std::string before = text("run.gprof");
  fs::create_hard_link(path("run.gprof"), path("hard.csv"));
  fs::create_symlink("run.gprof", path("soft.json"));
  const std::string convert = GRAPHPROF_CONVERT " " + path("run.gprof") + ' ';
  for (const std::string &item :
       {path("run.gprof"), "table:" + path("run.gprof"), "replays:" + path("./run.gprof"),
        path("hard.csv"), path("soft.json"),
        path("../").append(folder_.filename().string()).append("/run.gprof"),
        "key_averages+statistics:" + path("hard.csv")}) {
    std::string command = convert;
    command.append(path("other.csv")).append(" ").append(item);
    const Child converted = withErrors(command);
    EXPECT_EQ(2 * 256, converted.status) << item;
    EXPECT_NE(std::string::npos, converted.output.find("would overwrite what it is made of"))
        << item << ": " << converted.output;
    EXPECT_EQ(before, text("run.gprof")) << item;
    EXPECT_FALSE(fs::exists(path("other.csv"))) << item;
  }
  EXPECT_EQ(2 * 256, runChild(convert + "table >>" + path("run.gprof")).status);
  EXPECT_EQ(before, text("run.gprof"));
}

// Every output that is written to a file.
std::string everyFile(const fs::path &folder, bool sqlite) {
  std::string list;
  for (const char *item : {"table:", "key_averages:", "replays:"})
    list += item + (folder / item).string() + ',';
  for (const char *ending : {"json", "csv", "jsonl", "dot", "db", "gprof"})
    if (sqlite || ending != std::string("db"))
      list += (folder / "run.").string() + ending + ',';
  return list;
}

TEST_F(Endings, IdleProcessSparesOthersFiles) {
  // A process that records nothing leaves the files of others alone.
  fs::create_directory(folder_ / "out");
  const std::string environment = "GRAPHPROF_OUTPUT=" + everyFile(folder_ / "out", sqlite()) + ' ';
  // While the first is running, and when it has ended.
  EXPECT_EQ(3 * 256, runChild(environment + ENDING_PROGRAM + " start-idle flushed").status);
  std::map<std::string, std::string> before;
  for (const auto &entry : fs::directory_iterator(folder_ / "out"))
    before[entry.path().filename()] = text("out/" + entry.path().filename().string());
  EXPECT_GE(before.size(), 8U);
  EXPECT_EQ(7, lines("out/run.csv", "second,"));
  EXPECT_EQ("", withErrors(environment + ENDING_PROGRAM + " idle").output);
  for (const auto &entry : fs::directory_iterator(folder_ / "out"))
    EXPECT_EQ(before[entry.path().filename()], text("out/" + entry.path().filename().string()))
        << entry.path();
}

TEST_F(Endings, ProcessesDoNotShareFile) {
  const std::string all = path("run.csv") + ',' + path("run.gprof") + ',' + path("run.jsonl") +
                          ',' + path("run.json") + ",table:" + path("table.txt") +
                          ",replays:" + path("replays.txt") +
                          (sqlite() ? ',' + path("run.db") : "");
  const Child both =
      withErrors("GRAPHPROF_OUTPUT=" + all + ' ' + ENDING_PROGRAM + " start-another flushed");
  EXPECT_EQ(3 * 256, both.status);
  EXPECT_NE(std::string::npos, both.output.find(path("run.csv") + " belongs to another process"));
  std::map<std::string, std::vector<std::string>> names; // by ending
  for (const auto &entry : fs::directory_iterator(folder_))
    names[entry.path().extension()].push_back(entry.path().filename());
  EXPECT_EQ(2U, names[".csv"].size());
  EXPECT_EQ(2U, names[".gprof"].size());
  EXPECT_EQ(2U, names[".jsonl"].size());
  EXPECT_EQ(2U, names[".json"].size());
  EXPECT_EQ(4U, names[".txt"].size());
  EXPECT_EQ(sqlite() ? 1U : 0U, names[".db"].size()) << "which both write";
  EXPECT_EQ(7, lines("run.csv", "second,")) << "the first one's";
  for (const std::string &name : names[".csv"])
    EXPECT_EQ(name == "run.csv" ? 7 : 4, lines(name, "second,")) << name;
  for (const std::string &name : names[".gprof"])
    EXPECT_EQ(0, runChild(GRAPHPROF_CONVERT " " + path(name) + " table").status) << name;
  if (sqlite())
    EXPECT_EQ(11, rows("run.db", "SELECT count(*) FROM timings WHERE name = 'second'"));
}

class AsADaemon : public Endings, public ::testing::WithParamInterface<const char *> {};

TEST_P(AsADaemon, ProgramKeepsItsFiles) {
  // The program's files are its own.
  const std::string outputs = path("run.csv") + ',' + path("run.gprof") + ',' + path("run.jsonl") +
                              ",replays:" + path("replays.txt") + ",table,replays" +
                              (sqlite() ? ',' + path("run.db") : "");
  const Child with = runChild("GRAPHPROF_OUTPUT=" + outputs + " PROGRAM_FILES=" + path("mine") +
                              ' ' + ENDING_PROGRAM + ' ' + GetParam() + " flushed");
  EXPECT_EQ(3 * 256, with.status);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ("mine\n", text("mine" + std::to_string(i))) << i;
  EXPECT_EQ(7, lines("run.csv", "second,"));
  EXPECT_EQ(7, records(text("run.jsonl")));
  EXPECT_EQ(7, lines("replays.txt", "second: "));
  EXPECT_EQ(0, runChild(GRAPHPROF_CONVERT " " + path("run.gprof") + " table").status);
  if (sqlite())
    EXPECT_EQ(7, rows("run.db", "SELECT count(*) FROM timings WHERE name = 'second'"));
}

INSTANTIATE_TEST_SUITE_P(Endings, AsADaemon, ::testing::Values("daemon", "daemon-without-stderr"),
                         [](const auto &info) {
                           return std::string(info.param) == "daemon" ? "WithStderr"
                                                                      : "WithoutStderr";
                         });

TEST_F(Endings, UnreadPipes) {
  fs::create_directory(folder_ / "out");
  const std::string all = everyFile(folder_ / "out", false);
  std::istringstream items(all);
  for (std::string item; std::getline(items, item, ',');)
    ASSERT_EQ(0, mkfifo(item.substr(item.find('/')).c_str(), 0600)) << item;
  const Child without = runChild(ENDING_PROGRAM_PLAIN " exit");
  const auto begin = std::chrono::steady_clock::now();
  const Child with = runChild("GRAPHPROF_OUTPUT=" + all + ' ' + ENDING_PROGRAM + " exit");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(45));
  EXPECT_EQ(without.status, with.status);
  EXPECT_EQ(without.output, with.output);
}

TEST_F(Endings, ExitOnSmallStack) {
  // Exit on a thread with a small stack.
  const std::string outputs = everyFile(folder_, sqlite()) + path("run.json.gz");
  const Child with = runChild("GRAPHPROF_NODES=1 GRAPHPROF_OUTPUT=" + outputs + ' ' +
                              ENDING_PROGRAM + " small-stack");
  EXPECT_EQ(3 * 256, with.status);
  EXPECT_NE("", text("table:"));
  EXPECT_NE("", text("key_averages:"));
  EXPECT_NE("", text("run.dot"));
  EXPECT_NE("", text("run.json.gz"));
  EXPECT_EQ(4, lines("run.csv", "second,"));
}

TEST_F(Endings, ForkedChildIsLeftAlone) {
  // A forked child is left alone, and the parent goes on.
  forks("fork");
  allIsWritten(7);
  EXPECT_EQ(0, regions("in the child"));
  EXPECT_LT(took_, std::chrono::seconds(10));
}

TEST_F(Endings, ForkInsideRegion) {
  // A region that is open in a forked child is left alone too.
  forks("fork-in-a-region");
  allIsWritten(4);
  EXPECT_EQ(1, regions("open"));
}

TEST_F(Endings, WorkInStaticDestructors) {
  // Regions and launches in static destructors.
  endsAsWithoutUs("statics");
  EXPECT_GE(regions("second"), 4);
}

TEST_F(Endings, WorkInThreadLocalDestructors) {
  // Regions and launches in thread-local destructors.
  endsAsWithoutUs("thread_locals");
  EXPECT_GE(regions("second"), 4);
}

TEST_F(Endings, CallbackThatNeverReturns) {
  endsAsWithoutUs("hang");
  EXPECT_LT(took_, std::chrono::seconds(15)); // a second as asked for, and two; with room
}

TEST_F(Endings, LateHarvest) {
  endsAsWithoutUs("starve");
  EXPECT_LT(took_, std::chrono::seconds(15));
}

// All is recorded, and nobody waits for a thread that is not there.
TEST_F(Endings, NoThreadCanBeStarted) {
  endsAsWithoutUs("threadless");
  allIsWritten(4);
  EXPECT_LT(took_, std::chrono::seconds(5));
  const auto begin = std::chrono::steady_clock::now();
  endsAsWithoutUs("threadless flushed");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9));
}

class InAHandler : public Endings, public ::testing::WithParamInterface<const char *> {};

// At any time, with whatever is locked then. Now and then the end needs what is locked: after some
// seconds it is given up.
TEST_P(InAHandler, ExitEnds) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer holds signals back until nothing is interrupted";
#endif
#endif
  constexpr unsigned long times = 25;
  for (unsigned long i = 0; i < times; i += every()) {
    const auto begin = std::chrono::steady_clock::now();
    const Child with = runChild("timeout 30 env GRAPHPROF_OUTPUT=table:" + path("table") + ',' +
                                path("trace.json") + ' ' + ENDING_PROGRAM + ' ' + GetParam());
    EXPECT_EQ(3 * 256, with.status);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  }
}

INSTANTIATE_TEST_SUITE_P(Endings, InAHandler,
                         ::testing::Values("exit-in-handler", "exit-in-handler-twice"),
                         [](const auto &info) {
                           return std::string(info.param).ends_with("twice") ? "Twice" : "Once";
                         });

TEST_F(Endings, LibraryLoadedAndClosed) {
  endsAsWithoutUs(ENDING_LOADER " " ENDING_PLUGIN_PLAIN " 3", ENDING_LOADER " " ENDING_PLUGIN " 3");
  allIsWritten(3 * (1 + 2 + 3));
  EXPECT_EQ(3, regions("outside"));
  EXPECT_EQ(3, regions("with a text"));
}

} // namespace
} // namespace graphprof::test
