// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each driver call that graphprof makes fails in turn, with each of several errors, once and from
// then on. FaultProgram must see of CUDA exactly what it sees without graphprof, and what is not
// recorded must be counted. Some 2,500 failures (support/Every.h).

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/Child.h"
#include "support/Every.h"

namespace graphprof::test {
namespace {

// cudaError_t: of the arguments, of memory, of what a driver does not support, of the device.
constexpr std::array errors = {1, 2, 801, 700};
// A function that is called more often fails in its first and its last so many calls.
constexpr unsigned eitherEnd = 8;

struct Outcome {
  int status = -1;
  std::string seen;                      ///< by the program
  unsigned long records = 0;             ///< graphprof's last line
  std::vector<unsigned long> losses;     ///< of each kind
  std::map<std::string, unsigned> calls; ///< where they were asked for
};

// Takes in a line of what the program printed.
void readLine(const std::string &line, Outcome &outcome) {
  std::istringstream words(line);
  std::string name;
  unsigned long count = 0;
  const bool counts = static_cast<bool>(words >> name >> count);
  std::string more;
  words >> more;
  if (counts && name == "records") {
    outcome.records = count;
    for (unsigned long losses = 0; words >> losses;)
      outcome.losses.push_back(losses);
  } else if (counts && name == "ended") {
    outcome.status = static_cast<int>(count);
  } else if (counts && more.empty()) {
    outcome.calls[name] = static_cast<unsigned>(count);
  } else {
    outcome.seen += line + '\n';
  }
}

void thinOut(std::vector<std::string> &orders) {
  const std::size_t step = every();
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < orders.size(); i += step)
    kept.push_back(orders[i]);
  orders = std::move(kept);
}

// What each order comes to. The loader binds once for all of them.
std::vector<Outcome> run(const std::vector<std::string> &orders, const std::string &environment) {
  std::string input = ::testing::TempDir() + "/graphprof-faults-XXXXXX";
  const int file = mkstemp(input.data());
  if (file < 0)
    return {};
  for (std::string order : orders) {
    order += '\n';
    if (write(file, order.data(), order.size()) != static_cast<ssize_t>(order.size()))
      return {};
  }
  close(file);
  const Child child = runChild("LD_BIND_NOW=1 GRAPHPROF_OUTPUT= " + environment +
                               " " FAULT_PROGRAM " each <" + input);
  unlink(input.c_str());

  std::vector<Outcome> outcomes;
  Outcome current;
  std::istringstream output(child.output);
  for (std::string line; std::getline(output, line);) {
    readLine(line, current);
    if (line.starts_with("ended "))
      outcomes.push_back(std::exchange(current, {}));
  }
  return outcomes;
}

// With what the environment asks for besides.
class Faults : public ::testing::TestWithParam<const char *> {
protected:
  // What is wrong with the outcome of the order, one a line.
  std::string wrongWith(const std::string &order, const Outcome &faulty) const {
    std::ostringstream wrong;
    if (faulty.status != 0)
      wrong << order << ": status " << faulty.status << '\n' << faulty.seen;
    else if (faulty.seen != without_.seen)
      wrong << order << ": the program saw\n" << difference(faulty.seen);
    else if (faulty.records < sound_.records && !countsMore(faulty))
      wrong << order << ": " << sound_.records - faulty.records
            << " records are missing and nothing more is counted\n";
    return wrong.str();
  }
  // One fault may make another loss impossible.
  bool countsMore(const Outcome &faulty) const {
    for (std::size_t kind = 0; kind < faulty.losses.size(); ++kind)
      if (faulty.losses[kind] > sound_.losses.at(kind))
        return true;
    return false;
  }
  std::string difference(const std::string &seen) const {
    std::istringstream ours(seen), theirs(without_.seen);
    std::string left, right;
    while (std::getline(ours, left) && std::getline(theirs, right))
      if (left != right)
        return left.insert(0, "  ").append("\n  instead of ").append(right).append("\n");
    return "  more or fewer lines\n";
  }

  const Outcome without_ = run({"none"}, "GRAPHPROF_ENABLED=0").at(0);
  const Outcome sound_ = run({"count"}, GetParam()).at(0);
};

TEST_P(Faults, ProgramSeesNoFaults) {
  ASSERT_EQ(0, without_.status) << without_.seen;
  ASSERT_EQ(0, sound_.status) << sound_.seen;
  ASSERT_EQ(without_.seen, sound_.seen);
  ASSERT_EQ(0u, without_.records);
  ASSERT_GT(sound_.records, 15u);

  std::vector<std::string> orders;
  for (const auto &[function, count] : sound_.calls)
    for (unsigned nth = 1; nth <= count; ++nth)
      for (const int error : errors) {
        std::ostringstream words;
        words << function << ' ' << nth << ' ' << error;
        const std::string order = words.str();
        if (nth <= eitherEnd || nth + eitherEnd > count)
          orders.push_back(order);
        // A driver that refuses for good what tells of nodes in a capture, or takes them out of
        // graphs, and otherwise works, leaves ours in them.
        const bool takesOut = function == "cuGraphDestroyNode" ||
                              (function == "cuStreamGetCaptureInfo_v3" && nth > 1);
        if (!takesOut && (nth == 1 || nth == count / 2))
          orders.push_back(order + " all");
      }
  // And what a wrapper repeats through the program's own API.
  for (const char *repeated :
       {"cudaGraphMemsetNodeSetParams 3 1", "cudaGraphKernelNodeSetParams 3 98",
        "cudaGraphExecKernelNodeSetParams 2 98", "cudaFuncGetName 1 98"})
    orders.emplace_back(repeated);
  ASSERT_GT(orders.size(), 300u);
  thinOut(orders);

  const std::vector<Outcome> outcomes = run(orders, GetParam());
  ASSERT_EQ(orders.size(), outcomes.size());
  std::string wrong;
  for (std::size_t i = 0; i < orders.size(); ++i)
    wrong += wrongWith(orders[i], outcomes[i]);
  EXPECT_EQ("", wrong);
  std::cout << orders.size() << " failures\n";
}

INSTANTIATE_TEST_SUITE_P(, Faults, ::testing::Values("GRAPHPROF_NODES=0", "GRAPHPROF_NODES=1"));

} // namespace
} // namespace graphprof::test
