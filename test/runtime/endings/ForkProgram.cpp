// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that forks before it has used CUDA, in the way that its argument names. A process that
// replays a graph does so five times, and names itself in a file of its folder.

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "Program.h"

namespace {

using graphprof::test::Replayed;

#ifdef GRAPHPROF_TEST_PLAIN
void flush() {}
void permit(bool /*on*/) {}
void step() {}
void useAll() {}
#else
void flush() { (void)graphprof::flush(1); }
void permit(bool on) { on ? graphprof::start() : graphprof::stop(); }
void step() { graphprof::step(); }
void useAll() {
  graphprof::stop(); // so that the steps are not written
  {
    const graphprof::Step inStep;
  }
  graphprof::step();
  graphprof::start();
  (void)graphprof::losses();
}
#endif

void replay(const std::string &name) {
  std::ofstream(name + ".pid") << getpid();
  const Replayed graph;
  graph.launch(5);
  graph.show();
}

template <class Child> int forkOnce(Child child) {
  std::fflush(stdout);
  const pid_t made = fork();
  if (made == 0) {
    child();
    std::exit(4);
  }
  int status = 0;
  waitpid(made, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int childReplays() {
  return forkOnce([] { replay("child"); });
}
int childSteps() {
  return forkOnce([] {
    step();
    replay("child");
    step();
    step();
  });
}
int bothReplay() {
  const int status = childReplays();
  replay("parent");
  return status;
}
int nobodyReplays() {
  return forkOnce([] {});
}
// As a daemon begins.
int grandchildReplays() {
  return forkOnce([] { std::exit(forkOnce([] { replay("child"); })); });
}
int replaysFirst() {
  replay("parent");
  return childReplays();
}
int stopsFirst() {
  permit(false);
  return forkOnce([] {
    const Replayed graph;
    graph.launch(3);
    permit(true);
    replay("child");
  });
}
int measuresFirst() {
  {
    REGION(1, "in the parent", nullptr);
  }
  return childReplays();
}
// Another thread of the parent's is in graphprof all the time.
int forksWhileBusy() {
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (bool on = false; !done; on = !on) {
      flush();
      permit(on);
    }
  });
  int status = 4;
  for (int i = 0; i < 50 && status == 4; ++i)
    status = forkOnce([] {
      permit(true);
      replay("child");
    });
  done = true;
  other.join();
  return status;
}

// The same where the parent has measured, so that graphprof is off in the child: without a lock.
int forksWhileBusyAfterReplays() {
  replay("parent");
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done)
      useAll();
  });
  int status = 4;
  for (int i = 0; i < 100 && status == 4; ++i)
    status = forkOnce(useAll);
  done = true;
  other.join();
  return status;
}

const std::map<std::string, int (*)()> ways = {
    {"child", childReplays},     {"both", bothReplay},
    {"nobody", nobodyReplays},   {"grandchild", grandchildReplays},
    {"after", replaysFirst},     {"stopped", stopsFirst},
    {"measured", measuresFirst}, {"busy", forksWhileBusy},
    {"steps", childSteps},       {"busy-after", forksWhileBusyAfterReplays},
};

} // namespace

int main(int argc, char **argv) {
  const auto way = argc > 1 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end())
    return 2;
  std::printf("the child ended with %d\n", way->second());
  return 3;
}
