// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures standard error, like testing::internal::CaptureStderr(). That one uses a file that looks
// as if the program had opened it for itself, and graphprof does not write to such files
// (runtime/output/io/Descriptor.h).

#ifndef GRAPHPROF_TEST_SUPPORT_STDERR_H
#define GRAPHPROF_TEST_SUPPORT_STDERR_H

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace graphprof::test {

/// Captures until testing::internal::GetCapturedStderr().
inline void captureStderr() {
  testing::internal::CaptureStderr();
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL);
  ASSERT_EQ(::fcntl(STDERR_FILENO, F_SETFL, flags | O_APPEND), 0);
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_STDERR_H
