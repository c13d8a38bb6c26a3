// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which backends there are and which one is used.

#include "backend/Backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphprof {
namespace {

using ::testing::HasSubstr;

// The host's under another name.
graphprof_backend named(const char *name) {
  graphprof_backend backend = hostBackend();
  backend.name = name;
  return backend;
}

TEST(Backends, BuiltinBackendsAreThere) {
  const Backends backends;
  EXPECT_EQ(&cudaBackend(), backends.find("cuda"));
  EXPECT_EQ(&hostBackend(), backends.find("host"));
  EXPECT_EQ(nullptr, backends.find("mine"));
}

TEST(Backends, RegisteredBackendIsFoundByName) {
  Backends backends;
  const graphprof_backend mine = named("mine_2");
  EXPECT_EQ("", backends.add(mine));
  EXPECT_EQ(&mine, backends.find("mine_2"));
}

TEST(Backends, DuplicateNameIsRefused) {
  Backends backends;
  const graphprof_backend mine = named("mine"), other = named("mine"), host = named("host");
  EXPECT_EQ("", backends.add(mine));
  EXPECT_THAT(backends.add(mine), HasSubstr("a second backend with the name mine"));
  EXPECT_THAT(backends.add(other), HasSubstr("a second backend with the name mine"));
  EXPECT_THAT(backends.add(host), HasSubstr("a second backend with the name host"));
  EXPECT_EQ(&mine, backends.find("mine"));
}

TEST(Backends, OtherVersionsStructIsRefused) {
  Backends backends;
  graphprof_backend newer = named("newer"), cut = named("cut");
  newer.version = GRAPHPROF_BACKEND_VERSION + 1;
  cut.size = sizeof(void *);
  EXPECT_THAT(backends.add(newer), HasSubstr("build both with one graphprof/backend.h"));
  EXPECT_THAT(backends.add(cut), HasSubstr("build both with one graphprof/backend.h"));
}

// It may end with functions that this graphprof does not know.
TEST(Backends, LongerStructIsTaken) {
  Backends backends;
  graphprof_backend longer = named("longer");
  longer.size += sizeof(void *);
  EXPECT_EQ("", backends.add(longer));
}

TEST(Backends, UnspeakableNameIsRefused) {
  // A name that no variable could hold is refused.
  Backends backends;
  for (const char *const name : {static_cast<const char *>(nullptr), "", "a b", "a,b"})
    EXPECT_THAT(backends.add(named(name)), HasSubstr("use letters, digits, - and _"));
}

TEST(Backends, ClaimedFunctionMustBeThere) {
  Backends backends;
  graphprof_backend mine = named("mine");
  mine.elapsed = nullptr;
  EXPECT_THAT(backends.add(mine), HasSubstr("the backend mine has no function elapsed"));
  mine = named("mine");
  mine.when = nullptr;
  mine.can |= graphprof_backend_can_place;
  EXPECT_THAT(backends.add(mine), HasSubstr("has no function when"));
  mine = named("mine");
  mine.enabled = nullptr; // not enabled, as ProfilerStubs has it
  EXPECT_EQ("", backends.add(mine));
}

TEST(Backends, NameChoosesBackend) {
  Backends backends;
  const graphprof_backend mine = named("mine");
  backends.add(mine);
  std::string complaint;
  EXPECT_EQ(&mine, &backends.choose("mine", complaint));
  EXPECT_EQ(&hostBackend(), &backends.choose("host", complaint));
  EXPECT_EQ(&cudaBackend(), &backends.choose("cuda", complaint));
  EXPECT_EQ("", complaint);
}

TEST(Backends, DeviceDecidesWithoutName) {
  const Backends backends;
  std::string complaint;
  const graphprof_backend &expected = cudaBackend().enabled() ? cudaBackend() : hostBackend();
  EXPECT_EQ(&expected, &backends.choose("", complaint));
  EXPECT_EQ("", complaint);
}

TEST(Backends, UnknownNameListsKnownOnes) {
  // A name that is not there is said, with those that are.
  const Backends backends;
  std::string complaint;
  EXPECT_EQ(backends.named("tpu", complaint), nullptr);
  EXPECT_EQ(complaint, "GRAPHPROF_BACKEND=tpu: there is no such backend; there are cuda, host (a "
                       "backend registers when its library is loaded); using the default");
  const graphprof_backend &expected = cudaBackend().enabled() ? cudaBackend() : hostBackend();
  EXPECT_EQ(&backends.choose("tpu", complaint), &expected);
}

} // namespace
} // namespace graphprof
