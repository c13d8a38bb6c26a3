// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tested tool, on text in memory. Only this part of the fuzzer knows the tool's interface.

#ifndef GRAPHPROF_TEST_FUZZ_SUBJECT_H
#define GRAPHPROF_TEST_FUZZ_SUBJECT_H

#include "Headers.h"

#include <string>

namespace graphprof::fuzz {

struct Instrumented {
  bool Done = false;
  bool Changed = false;
  std::string Text;
  std::string Messages;
  unsigned ParseErrors = 0;
  unsigned Regions = 0;
  unsigned Calls = 0;
};

class Subject {
public:
  /// Uses the headers of the tool's tests, because the simulation's take longer to parse.
  explicit Subject(const HeaderFiles &Project);

  /// What is timed besides annotations.
  enum class Auto { None, Launches, Functions };
  [[nodiscard]] Instrumented instrument(llvm::StringRef Text, Auto Unannotated = Auto::None) const;

private:
  HeaderFiles Files;
};

} // namespace graphprof::fuzz

#endif
