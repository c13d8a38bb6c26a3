// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The file between two processes. The same program writes and reads it on the same machine, so
// numbers are stored in binary form.

#include "process.h"

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
    throw std::runtime_error("a process's results end too early");
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
  put(out, result.reference);
  put(out, result.lostReplays);
  put(out, result.nodes);
  for (const Summary &summary : {result.gpuUs, result.untimedUs, result.ratio, result.addedUs,
                                 result.launchIdleUs, result.launchBusyUs})
    put(out, summary);
  putAll(out, result.regionsUs);
  putAll(out, result.beginsUs);
  putAll(out, result.areOfBegins);
}

Result getResult(std::istream &in) {
  Result result;
  result.technique = getAll<std::string>(in);
  result.reference = get<Technique::Reference>(in);
  result.lostReplays = get<long>(in);
  result.nodes = get<std::size_t>(in);
  for (Summary *summary : {&result.gpuUs, &result.untimedUs, &result.ratio, &result.addedUs,
                           &result.launchIdleUs, &result.launchBusyUs})
    *summary = get<Summary>(in);
  result.regionsUs = getAll<std::vector<Summary>>(in);
  result.beginsUs = getAll<std::vector<Summary>>(in);
  result.areOfBegins = getAll<std::vector<char>>(in);
  return result;
}

void putComparison(std::ostream &out, const Comparison &comparison) {
  putAll(out, comparison.workload);
  put(out, comparison.replaysPerBlock);
  putAll(out, comparison.regionNodes);
  for (const std::string &name : comparison.regionNames)
    putAll(out, name);
  put(out, comparison.results.size());
  for (const Result &result : comparison.results)
    putResult(out, result);
}

Comparison getComparison(std::istream &in) {
  Comparison comparison;
  comparison.workload = getAll<std::string>(in);
  comparison.replaysPerBlock = get<int>(in);
  comparison.regionNodes = getAll<std::vector<std::size_t>>(in);
  for (std::size_t i = 0; i < comparison.regionNodes.size(); ++i)
    comparison.regionNames.push_back(getAll<std::string>(in));
  for (auto left = get<std::size_t>(in); left > 0; --left)
    comparison.results.push_back(getResult(in));
  return comparison;
}

/// A file that is removed at the end of its scope.
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

std::vector<Comparison> runProcess(const std::string &environment, const std::string &arguments) {
  const TemporaryFile file;
  const std::string program = "/proc/" + std::to_string(getpid()) + "/exe";
  const std::string command = environment + " " + program + " " + arguments + " " + file.path();
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("its process failed");

  std::ifstream in(file.path(), std::ios::binary);
  std::vector<Comparison> comparisons;
  for (auto left = get<std::size_t>(in); left > 0; --left)
    comparisons.push_back(getComparison(in));
  return comparisons;
}

void handOver(const std::string &path, const std::vector<Comparison> &comparisons) {
  std::ofstream out(path, std::ios::binary);
  put(out, comparisons.size());
  for (const Comparison &comparison : comparisons)
    putComparison(out, comparison);
  if (!out.flush())
    throw std::runtime_error("cannot write " + path);
}

} // namespace benchmark
