// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Recordings.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "clock/HostClock.h"
#include "support/Files.h"

using namespace graphprof;
using graphprof::test::Folder;

namespace {

TEST(Recordings, OneClosedMeanwhileIsReported) {
  const Folder folder;
  Config config;
  config.outputs = {};
  Session session(config);
  // While the second recording is looked at, the first one's file is closed by its thread.
  Recordings recordings(session, hostNowNs, [asked = 0](std::int64_t) mutable {
    while (asked > 0 && Recordings::closing() > 0)
      std::this_thread::yield();
    return asked++ == 0;
  });
  ASSERT_EQ("", recordings.begin(1, folder.file("first.json"), 0, false));
  ASSERT_EQ("", recordings.begin(2, folder.file("second.json"), 0, false));
  EXPECT_TRUE(recordings.proceed().empty()) << "they are only stopped";
  EXPECT_TRUE(recordings.proceed().empty()) << "the first one was not closed when it was looked at";
  const std::vector<Recordings::Result> over = recordings.proceed();
  ASSERT_EQ(1U, over.size());
  EXPECT_EQ(1U, over[0].owner);
  EXPECT_NE("", over[0].failed) << "nothing was recorded";
}

} // namespace
