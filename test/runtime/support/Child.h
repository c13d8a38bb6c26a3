// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs a child program to its end and returns its output and status.

#ifndef GRAPHPROF_TEST_SUPPORT_CHILD_H
#define GRAPHPROF_TEST_SUPPORT_CHILD_H

#include <array>
#include <cstdio>
#include <string>

namespace graphprof::test {

struct Child {
  int status = -1;    ///< as wait() says it of the shell: a signal is 128 and its number
  std::string output; ///< its standard output
};

/// Runs `command` in a shell.
inline Child runChild(const std::string &command) {
  Child child;
  // ThreadSanitizer would sleep for a second at each exit.
  const std::string whole =
      "env TSAN_OPTIONS=\"$TSAN_OPTIONS atexit_sleep_ms=0\" " + command + " 2>/dev/null";
  FILE *output = popen(whole.c_str(), "r"); // NOLINT(bugprone-command-processor): a test's command
  if (!output)
    return child;
  std::array<char, 512> piece{};
  while (const std::size_t size = fread(piece.data(), 1, piece.size(), output))
    child.output.append(piece.data(), size);
  child.status = pclose(output);
  return child;
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_CHILD_H
