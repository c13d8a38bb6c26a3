// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each of graphprof's allocations fails in turn, alone and with all behind it, on the program's
// thread and on graphprof's own: the program sees what it sees without graphprof, ends as it does
// without, and what is not recorded is counted. And at each a signal comes whose handler calls
// exit(): the program ends.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "support/Child.h"
#include "support/Every.h"

namespace graphprof::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

// Of the allocations, where each takes a process; and where the end may have to be given up.
constexpr unsigned long share = 60, smallShare = 10;

struct Outcome {
  int status = -1;
  std::string seen; // by the program
  std::string said; // by graphprof
  // What its last line says, of a whole process or of a sweep.
  unsigned long records = 0, losses = 0, program = 0, threads = 0;
};

Outcome run(const std::string &environment, const std::string &arguments = {}) {
  const Child child =
      runChild("sh -c '" + environment + " " ALLOCATION_PROGRAM " " + arguments + " 2>&1'");
  Outcome outcome;
  outcome.status = child.status;
  std::istringstream output(child.output);
  for (std::string line; std::getline(output, line);) {
    std::istringstream words(line);
    std::string word;
    if (line.starts_with("records "))
      words >> word >> outcome.records >> word >> outcome.losses >> word >> outcome.program >>
          outcome.threads;
    else
      (line.starts_with("graphprof: ") ? outcome.said : outcome.seen) += line + '\n';
  }
  return outcome;
}

// Calls `wrong(number)` for 1, 1 + step, ... up to `last`, on two threads; what it says.
std::string wrongAmong(unsigned long last, unsigned long step,
                       const std::function<std::string(unsigned long)> &wrong) {
  const auto share = [&](unsigned long first) {
    std::string all;
    for (unsigned long number = first; number <= last; number += 2 * step)
      all += wrong(number);
    return all;
  };
  std::string others;
  std::thread beside([&] { others = share(1 + step); });
  const std::string mine = share(1);
  beside.join();
  return mine + others;
}

class Allocations : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "graphprof-allocations-XXXXXX").string();
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

// Every one (support/Every.h), in two processes: what is made once has been made.
void sweeps(const char *where) {
  const auto swept = [where](int first) {
    return run("GRAPHPROF_OUTPUT=", std::string("sweep ") + where + ' ' +
                                        std::to_string(2 * every()) + ' ' + std::to_string(first));
  };
  Outcome others;
  std::thread beside([&] { others = swept(2); });
  const Outcome mine = swept(1);
  beside.join();
  for (const Outcome &each : {mine, others}) {
    EXPECT_EQ(0, each.status);
    EXPECT_EQ("", each.seen);
    EXPECT_GT(each.records, 15U);
    EXPECT_GT(each.program, 100U / every());
    EXPECT_GT(each.threads, each.program) << "of many at once, more fail";
  }
}

TEST_F(Allocations, FailOnProgramsThread) {
  // Each allocation on the program's thread fails once.
  sweeps("program");
}
TEST_F(Allocations, FailOnOurThreads) {
  // Each allocation on graphprof's threads fails once.
  sweeps("threads");
}

// From the first one, before main(), to the last one, when the outputs are closed: some of them,
// one process each.
TEST_F(Allocations, FailInLifeOfProcess) {
  const Outcome without = run("GRAPHPROF_ENABLED=0");
  ASSERT_EQ(0, without.status);
  const std::string outputs = "GRAPHPROF_OUTPUT=table:" + (folder_ / "{pid}.table").string() + ',' +
                              (folder_ / "{pid}.csv").string() + ',' +
                              (folder_ / "{pid}.json").string();
  const Outcome sound = run(outputs);
  ASSERT_EQ(0, sound.status);
  ASSERT_EQ(without.seen, sound.seen);
  for (const auto &[where, last] :
       {std::pair("program", sound.program), std::pair("threads", sound.threads)}) {
    const auto wrong = [&, where = where](unsigned long number) {
      std::ostringstream order;
      order << "GRAPHPROF_TEST_FAIL=\"" << where << ' ' << number << ' ' << number << "\" ";
      const Outcome outcome = run(order.str() + outputs);
      if (outcome.status != 0)
        order << "status " << outcome.status << '\n';
      else if (outcome.seen != without.seen)
        order << "the program saw something else\n";
      else if (outcome.records < sound.records && outcome.losses <= sound.losses &&
               outcome.said.find("no memory") == std::string::npos)
        order << "records are missing, and that is neither counted nor said\n";
      else
        return std::string();
      return order.str();
    };
    EXPECT_EQ("", wrongAmong(last, last / share * every(), wrong));
  }
}

// Where it was interrupted it may hold any lock, the allocator's among them.
TEST_F(Allocations, SignalHandlerMayExit) {
  const std::string outputs = "GRAPHPROF_OUTPUT=table:" + (folder_ / "{pid}.table").string() + ',' +
                              (folder_ / "{pid}.json").string();
  const Outcome sound = run(outputs);
  ASSERT_EQ(0, sound.status);
  const auto wrong = [&](unsigned long number) {
    std::ostringstream order;
    order << "GRAPHPROF_TEST_RAISE=10 GRAPHPROF_TEST_FAIL=\"program " << number << ' ' << number
          << "\" ";
    const auto begin = steady_clock::now();
    const Outcome outcome = run("timeout 20 env " + order.str() + outputs);
    const auto took = steady_clock::now() - begin;
    constexpr int exits = 3 * 256;
    if (outcome.status == exits || outcome.status == 0)
      return took < std::chrono::seconds(10) ? std::string() : order.str() + "took long\n";
    order << "status " << outcome.status << '\n';
    return order.str();
  };
  EXPECT_EQ("", wrongAmong(sound.program, sound.program / smallShare, wrong));
}

} // namespace
} // namespace graphprof::test
