// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One thread of the stress test. It uses its own graphs in random order, in all allowed ways, and
// knows what they must compute. Randomness comes from its seed alone.

#ifndef GRAPHPROF_TEST_STRESS_PLAYER_H
#define GRAPHPROF_TEST_STRESS_PLAYER_H

#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Cells.h"
#include "Ledger.h"

namespace graphprof::test {

/// Execs that compute into one cell, and the expected result.
struct Family {
  Cell cell;
  Result expected;
  std::string history;  ///< what was done to its execs, for whoever must find out
  int execs = 0;        ///< that are alive
  bool running = false; ///< kernels of one that is gone, perhaps
};

class Player {
public:
  Player(Ledger &ledger, unsigned seed);
  ~Player();
  Player(const Player &) = delete;
  Player &operator=(const Player &) = delete;

  void play(int rounds);
  /// Destroys what is left, in random order.
  void end();

  /// What differed from a run without graphprof, one line each. Call it after end().
  [[nodiscard]] std::string wrong() const;

private:
  /// A section of a graph: two kernels, or a fork with one kernel on each side.
  struct Section {
    bool forked;
    unsigned regions; ///< none, one, or one in another (forked: beside another)
  };
  struct Shape {
    std::vector<Section> sections;
    bool memory; ///< with an allocation around everything
    [[nodiscard]] unsigned regions() const;
  };
  struct Piece {
    Work work;
    unsigned long long amount;
    bool enabled = true;
  };
  enum class Timed : std::uint8_t { No, Perhaps, Surely };
  /// What one launch does.
  struct Plan {
    std::shared_ptr<Family> family;
    std::vector<Piece> pieces;
    Timed timed;
  };
  struct Graph {
    cudaGraph_t handle;
    Shape shape;
    Plan plan;
    std::vector<cudaGraphNode_t> nodes; ///< by piece
    bool beginSeen = true;              ///< of its capture, by graphprof
    bool alive = true;
  };
  struct Exec {
    cudaGraphExec_t handle;
    Shape shape;
    Plan plan;
    std::shared_ptr<Graph> origin; ///< whose nodes it is changed through
    bool followed = true;          ///< graphprof's exec came from the same graph
    bool switched = false; ///< nodes were disabled: it cannot be made anew, and that is counted
  };

  void act();
  void makeGraph();
  void cloneGraph();
  void destroyGraph();
  void instantiate();
  void launch();
  void update();
  /// A section of an exec whose nodes can be changed, and its node; null if there is none.
  struct Picked {
    Exec *exec = nullptr;
    Piece *piece = nullptr;
    cudaGraphNode_t node = nullptr;
  };
  Picked anyPiece();
  void changeNode();
  void switchNode();
  void upload();
  void destroyExec();
  void failCapture();
  void eager();
  void control();

  unsigned random(unsigned below) { return static_cast<unsigned>(random_() % below); }
  cudaStream_t stream() { return streams_[random(2)]; }
  Shape randomShape();
  std::shared_ptr<Graph> capture(const Shape &shape, const std::shared_ptr<Family> &family,
                                 bool beginSeen);
  void captureSection(const Section &section, unsigned &region, unsigned regions, Plan &plan);
  void kernel(Work work, cudaStream_t stream, Plan &plan);
  static std::vector<cudaGraphNode_t> kernelsOf(cudaGraph_t graph);
  void launch(Exec &exec, cudaStream_t stream);
  void destroy(Graph &graph);
  void check(cudaError_t status, const char *what);
  void note(Exec &exec, const std::string &what);

  Ledger &ledger_;
  std::minstd_rand random_;
  std::array<cudaStream_t, 2> streams_{};
  cudaStream_t captured_ = nullptr, side_ = nullptr;
  bool beginSeen_ = false; ///< by graphprof: of the newest capture
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  std::vector<std::shared_ptr<Family>> families_;
  std::vector<std::shared_ptr<Graph>> graphs_;
  std::vector<Exec> execs_;
  int round_ = 0;
  std::string wrong_;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_STRESS_PLAYER_H
