// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each driver call that graphprof makes fails in turn, with each of several errors, once and from
// then on. FaultProgram must see of CUDA exactly what it sees without graphprof, and what is not
// recorded must be counted.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/Child.h"

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

Outcome run(const std::string &arguments, const std::string &environment = {}) {
  Outcome result;
  const Child child =
      runChild("GRAPHPROF_OUTPUT= " + environment + " " FAULT_PROGRAM " " + arguments);
  std::istringstream output(child.output);
  for (std::string line; std::getline(output, line);) {
    std::istringstream words(line);
    std::string name;
    unsigned long count = 0;
    const bool counts = static_cast<bool>(words >> name >> count);
    std::string more;
    words >> more;
    if (counts && name == "records") {
      result.records = count;
      for (unsigned long losses = 0; words >> losses;)
        result.losses.push_back(losses);
    } else if (counts && more.empty()) {
      result.calls[name] = static_cast<unsigned>(count);
    } else {
      result.seen += line + '\n';
    }
  }
  result.status = child.status;
  return result;
}

// With what the environment asks for besides.
class Faults : public ::testing::TestWithParam<const char *> {
protected:
  // One of several processes' share of the failures; what is wrong, one a line.
  std::string wrongWith(const std::vector<std::string> &orders, std::size_t first,
                        std::size_t step) const {
    std::ostringstream wrong;
    for (std::size_t i = first; i < orders.size(); i += step) {
      const Outcome faulty = run(orders[i], GetParam());
      if (faulty.status != 0)
        wrong << orders[i] << ": status " << faulty.status << '\n' << faulty.seen;
      else if (faulty.seen != without_.seen)
        wrong << orders[i] << ": the program saw\n" << difference(faulty.seen);
      else if (faulty.records < sound_.records && !countsMore(faulty))
        wrong << orders[i] << ": " << sound_.records - faulty.records
              << " records are missing and nothing more is counted\n";
    }
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

  const Outcome without_ = run("", "GRAPHPROF_ENABLED=0");
  const Outcome sound_ = run("count", GetParam());
};

TEST_P(Faults, TheProgramSeesNoneOfThem) {
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
  // And what a wrapper repeats through the program's own API: the second call of each.
  for (const char *repeated :
       {"cudaGraphMemsetNodeSetParams 2 1", "cudaGraphKernelNodeSetParams 2 98",
        "cudaGraphExecKernelNodeSetParams 2 98", "cudaFuncGetName 1 98"})
    orders.emplace_back(repeated);
  ASSERT_GT(orders.size(), 300u);

  std::string others;
  std::thread beside([&] { others = wrongWith(orders, 1, 2); });
  const std::string wrong = wrongWith(orders, 0, 2);
  beside.join();
  EXPECT_EQ("", wrong + others);
  RecordProperty("orders", static_cast<int>(orders.size()));
}

INSTANTIATE_TEST_SUITE_P(, Faults, ::testing::Values("GRAPHPROF_NODES=0", "GRAPHPROF_NODES=1"));

} // namespace
} // namespace graphprof::test
