// Programs whose times are known: what each output says of them is compared with the schedule, and with what the others say.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %instrument --strict -o copy.cu %s -- -I%include %simflags
// RUN: %simcc copy.cu -o program
// RUN: %simcc -shared -fPIC copy.cu -o program.so
// RUN: %python %S/Inputs/known_times.py %graphprof ./program ./program.so %include/../python
// RUN: %python %S/Inputs/known_outputs.py %graphprof ./program ./program.so %include/../python
// RUN: %python %S/Inputs/known_metrics.py %graphprof ./program ./program.so %include/../python
//
// A program is what its arguments say: how often each graph is launched, and what is captured into it. "region:NAME:STREAM" and "end",
// a kernel "a:STREAM", "fork:FROM:TO" (the stream TO waits for what FROM has captured), and "graph" for a further graph.
// The environment has what each kernel takes (a=5000), the gap between two (GAP), and how many times as long each replay takes:
// FACTORS=1,1,2 makes each third one take twice as long. With WAIT=1 it waits for a line before its replays, and before its end.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

__global__ void a() {}
__global__ void b() {}
__global__ void c() {}
__global__ void d() {}
__global__ void e() {}
__global__ void f() {}

namespace {

struct Named {
  const char *name;
  void (*kernel)();
};
constexpr Named kernels[] = {{"a", a}, {"b", b}, {"c", c}, {"d", d}, {"e", e}, {"f", f}};
unsigned long long replays = 0; // as a kernel of the first stream counts

unsigned long long variable(const char *name, unsigned long long otherwise) {
  const char *const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<std::string> parts(const std::string &word, char between = ':') {
  std::vector<std::string> all(1);
  for (const char c : word)
    if (c == between)
      all.emplace_back();
    else
      all.back() += c;
  return all;
}

cudaStream_t streams[3];

// Up to the end of the region, or of the graph. Returns the word behind it.
int capture(char **words, int at, int count) {
  while (at < count && std::strcmp(words[at], "graph") != 0) {
    const std::vector<std::string> word = parts(words[at++]);
    if (word[0] == "end")
      return at;
    if (word[0] == "region") {
      const cudaStream_t stream = streams[std::stoi(word[2])];
      [[graphprof::time("{}", word[1], stream = stream)]] { at = capture(words, at, count); }
    } else if (word[0] == "fork") {
      cudaEvent_t event;
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
      cudaEventRecord(event, streams[std::stoi(word[1])]);
      cudaStreamWaitEvent(streams[std::stoi(word[2])], event, 0);
    } else {
      for (const Named &one : kernels)
        if (word[0] == one.name)
          one.kernel<<<8, 128, 0, streams[std::stoi(word[1])]>>>();
    }
  }
  return at;
}

void wait() {
  if (!std::getenv("WAIT"))
    return;
  cudaDeviceSynchronize(); // so that others can reach it
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
}

} // namespace

int main(int count, char **words) {
  std::vector<double> factors;
  const char *const text = std::getenv("FACTORS");
  for (const std::string &factor : parts(text ? text : "1", ','))
    factors.push_back(std::stod(factor));
  for (const Named &one : kernels) {
    const unsigned long long ns = variable(one.name, 1000);
    const bool counts = one.name[0] == 'a';
    cudasim::registerKernel(one.name, {}, nullptr, [=](void **) -> std::uint64_t {
      replays += counts ? 1 : 0;
      return std::llround(factors[(replays - 1) % factors.size()] * ns);
    });
  }
  cudasim::setLaunchGap(variable("GAP", 0));
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  std::vector<cudaGraphExec_t> execs;
  for (int at = 2; at < count; ++at) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal);
    at = capture(words, at, count);
    if (cudaStreamEndCapture(streams[0], &graph) != cudaSuccess)
      return 1;
    cudaGraphInstantiate(&execs.emplace_back(), graph, 0);
  }
  wait();
  for (int replay = 0; replay < std::atoi(words[1]); ++replay)
    for (const cudaGraphExec_t exec : execs)
      cudaGraphLaunch(exec, streams[0]);
  const bool good = cudaStreamSynchronize(streams[0]) == cudaSuccess;
  wait();
  return good ? 0 : 1;
}
