// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The allocations and frees that a profile records, read back from its Chrome trace.

#ifndef GRAPHPROF_TEST_SUPPORT_MEMORYEVENTS_H
#define GRAPHPROF_TEST_SUPPORT_MEMORYEVENTS_H

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "graphprof/profile.h"

namespace graphprof::test {

struct MemorySeen {
  std::string kind;
  long long bytes;
  std::uint64_t address;
  std::string path;
  int device = 0;
  long long step = -1;

  bool operator==(const MemorySeen &other) const {
    return kind == other.kind && bytes == other.bytes && address == other.address &&
           path == other.path && device == other.device && step == other.step;
  }
  friend std::ostream &operator<<(std::ostream &out, const MemorySeen &seen) {
    return out << seen.bytes << " of " << seen.kind << " at " << seen.address << " in '"
               << seen.path << "', device " << seen.device << ", step " << seen.step;
  }
};

template <class Pointer> std::uint64_t addressOf(Pointer pointer) {
  if constexpr (std::is_pointer_v<Pointer>)
    return reinterpret_cast<std::uintptr_t>(pointer);
  else
    return pointer;
}

/// Records from the construction on.
class MemoryRecorder {
public:
  MemoryRecorder() : profile_(asking()) {}

  /// Ends recording. `total`, if given, gets what was allocated at the end on the device of the
  /// last event, beyond what was there before the first one.
  std::vector<MemorySeen> all(long long *total = nullptr) {
    EXPECT_TRUE(profile_.stop());
    const std::string path =
        testing::TempDir() + "graphprof-memory-" + std::to_string(getpid()) + ".json";
    EXPECT_TRUE(profile_.export_chrome_trace(path));
    std::vector<MemorySeen> seen;
    std::ifstream lines(path);
    long long before = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(R"("name":"[memory]")") == std::string::npos)
        continue;
      seen.push_back({text(line, "kind"), number(line, "Bytes"),
                      static_cast<std::uint64_t>(number(line, "Addr")), text(line, "path"),
                      static_cast<int>(number(line, "Device Id")), number(line, "step", -1)});
      const long long allocated = number(line, "Total Allocated");
      if (seen.size() == 1)
        before = allocated - seen[0].bytes;
      if (total)
        *total = allocated - before;
    }
    std::remove(path.c_str());
    return seen;
  }

private:
  static profile_options asking() {
    profile_options options;
    options.profile_memory = true;
    return options;
  }
  static std::size_t behind(const std::string &line, const std::string &key) {
    const std::string quoted = '"' + key + "\":";
    const std::size_t at = line.find(quoted);
    return at == std::string::npos ? at : at + quoted.size();
  }
  static long long number(const std::string &line, const char *key, long long none = 0) {
    const std::size_t at = behind(line, key);
    return at == std::string::npos ? none : std::strtoll(line.c_str() + at, nullptr, 10);
  }
  static std::string text(const std::string &line, const char *key) {
    const std::size_t at = behind(line, key);
    return at == std::string::npos ? "" : line.substr(at + 1, line.find('"', at + 1) - at - 1);
  }

  profile profile_;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_MEMORYEVENTS_H
