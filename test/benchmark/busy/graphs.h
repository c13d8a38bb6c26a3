// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs of kernels that note their own times. Each notes, for each of its blocks, when it began
// and ended, by %globaltimer, in words of its own: no atomics, so that it costs a kernel nothing
// but two stores a block. The host takes the first begin and the last end.

#ifndef GRAPHPROF_BENCHMARK_BUSY_GRAPHS_H
#define GRAPHPROF_BENCHMARK_BUSY_GRAPHS_H

#include <array>
#include <cstddef>
#include <memory>

namespace benchmark {

struct Shape {
  unsigned blocks, threads;
  int rounds; // of the loop that is the work
};
// The last but one takes several waves of every device so far; the last one is long enough that its
// end matters little.
inline constexpr std::array<Shape, 8> shapes = {{{8, 64, 700},
                                                 {66, 256, 1000},
                                                 {132, 256, 400},
                                                 {2, 128, 60},
                                                 {264, 512, 500},
                                                 {132, 1024, 700},
                                                 {4224, 256, 300},
                                                 {33, 512, 4000}}};
/// Kernel k has the shape k modulo their number.
inline constexpr std::size_t kernels = 6 * shapes.size();

enum class Form {
  Chain,
  Lanes,        ///< two, side by side, of every second kernel
  EventNodes,   ///< a chain with a node that records an event behind every eighth kernel
  Programmatic, ///< a chain in which each kernel may begin early, and waits on the device
};
inline constexpr std::array forms = {Form::Chain, Form::Lanes, Form::EventNodes,
                                     Form::Programmatic};
const char *textOf(Form form);

/// Of one launch, in us. By kernel; NAN: what it would lead to, or follow, does not exist.
struct Noted {
  std::array<double, kernels> own; ///< from the first block's begin to the last one's end
  std::array<double, kernels> toNextBegin, sinceLastEnd; ///< begin to begin, end to end
  double whole;
};

/// Made by calls that graphprof sees.
class NotingGraph {
public:
  explicit NotingGraph(Form form);
  ~NotingGraph();
  NotingGraph(const NotingGraph &) = delete;
  NotingGraph &operator=(const NotingGraph &) = delete;

  /// Launches it and waits for its end.
  Noted launch();

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  Form form_;
};

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_BUSY_GRAPHS_H
