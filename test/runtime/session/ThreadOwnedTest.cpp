// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ThreadOwned.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

int ended = 0;

TEST(ThreadKey, GetsEndingThreadsValue) {
  const ThreadKey key([](void *value) { ended = *static_cast<int *>(value); });
  int value = 7;
  std::thread([&] { EXPECT_TRUE(key.set(&value)); }).join();
  EXPECT_EQ(ended, 7);
}

// The number of keys is limited, and a key that was not made must not be mistaken for another's.
TEST(ThreadKey, WithoutKeySetsNone) {
  // If no key is left, no other key is set.
  std::vector<pthread_key_t> taken;
  for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;)
    taken.push_back(key);
  ASSERT_FALSE(taken.empty());
  void *const before = pthread_getspecific(pthread_key_t{});
  const ThreadKey none(nullptr);
  int value = 0;
  EXPECT_FALSE(none.set(&value));
  EXPECT_EQ(pthread_getspecific(pthread_key_t{}), before);
  for (const pthread_key_t key : taken)
    pthread_key_delete(key);
}

} // namespace
