// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The second process and the file between the two: the same program writes and reads it on the same
// machine, so it holds numbers as they lie in memory.

#include "product_process.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <type_traits>

#include <unistd.h>

namespace benchmark {
namespace {

template <class T> void put(std::ostream &out, const T &value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.write(reinterpret_cast<const char *>(&value), sizeof value);
}

template <class T> T get(std::istream &in) {
  T value{};
  if (!in.read(reinterpret_cast<char *>(&value), sizeof value))
    throw std::runtime_error("the results of the second process end too early");
  return value;
}

template <class Container> void putAll(std::ostream &out, const Container &container) {
  put(out, container.size());
  for (const auto &element : container)
    put(out, element);
}

template <class Container> Container getAll(std::istream &in) {
  Container container;
  for (auto left = get<std::size_t>(in); left > 0; --left)
    container.push_back(get<typename Container::value_type>(in));
  return container;
}

void putResult(std::ostream &out, const Result &result) {
  putAll(out, result.technique);
  put(out, result.nodes);
  put(out, result.lostReplays);
  for (const Summary &summary :
       {result.gpuUs, result.ratio, result.addedUs, result.launchIdleUs, result.launchBusyUs})
    put(out, summary);
  putAll(out, result.regionsUs);
}

Result getResult(std::istream &in) {
  Result result;
  result.technique = getAll<std::string>(in);
  result.nodes = get<std::size_t>(in);
  result.lostReplays = get<long>(in);
  for (Summary *summary :
       {&result.gpuUs, &result.ratio, &result.addedUs, &result.launchIdleUs, &result.launchBusyUs})
    *summary = get<Summary>(in);
  result.regionsUs = getAll<std::vector<Summary>>(in);
  return result;
}

/// A file that is removed again.
class TemporaryFile {
public:
  TemporaryFile() {
    const int descriptor = mkstemp(path_);
    if (descriptor < 0)
      throw std::runtime_error("cannot make a temporary file");
    close(descriptor);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() { std::remove(path_); }
  [[nodiscard]] const char *path() const { return path_; }

private:
  char path_[32] = "/tmp/overheadXXXXXX";
};

} // namespace

std::vector<std::vector<Result>> resultsOfEventProcess(const std::string &arguments) {
  const TemporaryFile file;
  const std::string program = "/proc/" + std::to_string(getpid()) + "/exe";
  const std::string command =
      "GRAPHPROF_CLOCK=event " + program + " " + arguments + " " + file.path();
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("the process with graphprof's event clock failed");

  std::ifstream in(file.path(), std::ios::binary);
  std::vector<std::vector<Result>> workloads(get<std::size_t>(in));
  for (std::vector<Result> &results : workloads) {
    results.resize(get<std::size_t>(in));
    for (Result &result : results)
      result = getResult(in);
  }
  return workloads;
}

void handOver(const std::string &path, const std::vector<Comparison> &comparisons) {
  std::ofstream out(path, std::ios::binary);
  put(out, comparisons.size());
  for (const Comparison &comparison : comparisons) {
    put(out, comparison.results.size() - 1);
    for (std::size_t i = 1; i < comparison.results.size(); ++i)
      putResult(out, comparison.results[i]);
  }
  if (!out.flush())
    throw std::runtime_error("cannot write " + path);
}

} // namespace benchmark
