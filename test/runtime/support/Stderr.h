// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is said on standard error, for tests. As testing::internal::CaptureStderr(), whose file
// looks like one that the program has opened for itself: graphprof does not write to those
// (runtime/output/Descriptor.h).

#ifndef GRAPHPROF_TEST_SUPPORT_STDERR_H
#define GRAPHPROF_TEST_SUPPORT_STDERR_H

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace graphprof::test {

/// Until testing::internal::GetCapturedStderr().
inline void captureStderr() {
  testing::internal::CaptureStderr();
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL);
  ASSERT_EQ(::fcntl(STDERR_FILENO, F_SETFL, flags | O_APPEND), 0);
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_STDERR_H
