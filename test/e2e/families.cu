// Processes that share GRAPHPROF_OUTPUT: none loses what it recorded to another one of its family, or to one that
// runs beside it, in any format; a file of an earlier run is replaced.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument -o %t/copy.cu %s -- %simflags
// RUN: %simcc %t/copy.cu -o %t/program
// RUN: %python %S/Inputs/families.py %t/program %t/work

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

__global__ void work(float *x) { *x += 1.0F; }

// Three replays of a graph whose region is named after the process.
static void launch(const char *name) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("of {}", name)]] work<<<1, 32, 0, stream>>>(nullptr);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 3; ++replay)
    cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
}

// program WORD ARGUMENT...: one after the other.
int main(int count, char **words) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view word = words[i];
    const char *const argument = words[i + 1];
    if (word == "launch") {
      launch(argument);
    } else if (word == "flush") {
      graphprof::flush();
      std::puts(argument);
      std::fflush(stdout);
    } else if (word == "wait") { // for a line on stdin
      std::puts(argument);
      std::fflush(stdout);
      while (std::getchar() != '\n') {
      }
    } else if (word == "run") {
      if (std::system(argument) != 0)
        return 1;
    } else if (word == "chdir") {
      if (chdir(argument) != 0)
        return 1;
    } else if (word == "fork") { // a child that launches
      const pid_t child = fork();
      if (child == 0) {
        launch(argument);
        std::exit(0);
      }
      int status = 0;
      if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    }
  }
  return 0;
}
