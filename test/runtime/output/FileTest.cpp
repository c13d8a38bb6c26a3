// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/File.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Samples.h"
#include "support/Child.h"

using namespace graphprof;
using graphprof::test::Child;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::runChild;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

// Writes the whole file in one go.
std::string writeWhole(const std::string &path, const std::string &text) {
  WholeFile file(path);
  for (const std::string &failed : {file.open(), file.write(text), file.commit()})
    if (!failed.empty())
      return failed;
  return {};
}

TEST(TextStream, MakesItsFileAtTheFirstWrite) {
  const Folder folder;
  TextStream stream(folder.file("a.txt"));
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_EQ(stream.write("one\n"), "");
  EXPECT_EQ(stream.write("two\n"), "");
  EXPECT_EQ(contents(folder.file("a.txt")), "one\ntwo\n");
  EXPECT_EQ(stream.close(), "");
}

TEST(TextStream, ABrokenPipeIsAFailureAndNotTheEndOfTheProgram) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  const int before = ::dup(STDERR_FILENO);
  ASSERT_GE(before, 0);
  ::dup2(ends[1], STDERR_FILENO);
  TextStream error("");
  const std::string failed = error.write("text");
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(ends[1]);
  EXPECT_EQ(failed, "cannot write standard error: Broken pipe");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0) << "no signal is left behind";
}

TEST(TextStream, TheStandardOutputIsWrittenWhereItIs) {
  testing::internal::CaptureStdout(); // a file
  std::fputs("before\n", stdout);
  std::fflush(stdout);
  TextStream stream("/dev/stdout");
  EXPECT_EQ(stream.write("between\n"), "");
  EXPECT_EQ(stream.close(), "");
  std::fputs("behind\n", stdout);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\nbetween\nbehind\n");
}

// In a process of its own, since the limit stays.
[[noreturn]] void writeBeyondTheLimit(const std::string &path) {
  const rlimit limit{10, 10};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  TextStream stream(path);
  const std::string failed = stream.write(std::string(100, 'x'));
  sigset_t pending;
  sigpending(&pending);
  const bool right =
      failed == "cannot write " + path + ": File too large" && sigismember(&pending, SIGXFSZ) == 0;
  _exit(right ? 0 : 1);
}

TEST(TextStream, ALimitOfFileSizesIsAFailureAndNotTheEndOfTheProgram) {
  const Folder folder;
  EXPECT_EXIT(writeBeyondTheLimit(folder.file("a.txt")), testing::ExitedWithCode(0), "");
}

TEST(WholeFile, AppearsWhenItIsWhole) {
  const Folder folder;
  WholeFile file(folder.file("a.json"));
  EXPECT_EQ(file.check(), "");
  EXPECT_EQ(file.open(), "");
  EXPECT_EQ(file.write("text"), "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.json")));
  EXPECT_EQ(file.commit(), "");
  EXPECT_THAT(folder.names(), ElementsAre("a.json"));
  EXPECT_EQ(contents(folder.file("a.json")), "text");
}

TEST(WholeFile, LeavesTheOldFileAloneUntilThen) {
  const Folder folder;
  EXPECT_EQ(writeWhole(folder.file("a.json"), "old"), "");
  {
    WholeFile file(folder.file("a.json"));
    EXPECT_EQ(file.open(), "");
    EXPECT_EQ(file.write("half"), "");
  } // not committed
  EXPECT_EQ(contents(folder.file("a.json")), "old");
  EXPECT_THAT(folder.names(), ElementsAre("a.json"));
  EXPECT_EQ(writeWhole(folder.file("a.json"), "new"), "");
  EXPECT_EQ(contents(folder.file("a.json")), "new");
}

TEST(WholeFile, TakesMoreThanItsBuffer) {
  const Folder folder;
  const std::string much(1'000'000, 'x');
  WholeFile file(folder.file("a.json"));
  EXPECT_EQ(file.open(), "");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(file.write(much), "");
  EXPECT_EQ(file.commit(), "");
  EXPECT_EQ(contents(folder.file("a.json")), much + much + much);
}

TEST(WholeFile, IsCompressedWhereItsNameSaysSo) {
  if (!Gzip::builtIn())
    GTEST_SKIP() << "built without zlib";
  const Folder folder;
  std::string much;
  for (int i = 0; i < 200'000; ++i)
    much += std::to_string(i) + '\n';
  WholeFile file(folder.file("a.json.gz"));
  EXPECT_EQ(file.open(), "");
  EXPECT_EQ(file.write("begin\n"), "");
  EXPECT_EQ(file.write(much), "");
  EXPECT_EQ(file.write(""), "");
  EXPECT_EQ(file.write("end\n"), "");
  EXPECT_EQ(file.commit(), "");
  EXPECT_THAT(folder.names(), ElementsAre("a.json.gz"));
  EXPECT_LT(contents(folder.file("a.json.gz")).size(), much.size() / 2);
  const Child gzip = runChild("gzip -dc " + folder.file("a.json.gz"));
  EXPECT_EQ(gzip.status, 0);
  EXPECT_TRUE(gzip.output == "begin\n" + much + "end\n");
}

TEST(WholeFile, ACompressedFileOfNothingIsOneToo) {
  if (!Gzip::builtIn())
    GTEST_SKIP() << "built without zlib";
  const Folder folder;
  EXPECT_EQ(writeWhole(folder.file("a.gz"), ""), "");
  const Child gzip = runChild("gzip -dc " + folder.file("a.gz"));
  EXPECT_EQ(gzip.status, 0);
  EXPECT_EQ(gzip.output, "");
}

TEST(WholeFile, AMissingFolderIsFoundBeforeAnythingIsWritten) {
  const Folder folder;
  const std::string path = folder.file("no/such/a.json");
  EXPECT_EQ(WholeFile(path).check(), "cannot write " + path + ": No such file or directory");
  EXPECT_EQ(writeWhole(path, "x"), "cannot write " + path + ": No such file or directory");
}

TEST(WholeFile, AFileInPlaceOfAFolderAndAFolderInPlaceOfAFileAreFailures) {
  const Folder folder;
  ASSERT_EQ(writeWhole(folder.file("file"), "x"), "");
  EXPECT_THAT(WholeFile(folder.file("file/a.json")).check(), HasSubstr("Not a directory"));
  std::filesystem::create_directory(folder.file("a.json"));
  EXPECT_THAT(WholeFile(folder.file("a.json")).check(), HasSubstr("Is a directory"));
}

TEST(WholeFile, AFullDiskIsAFailureWithItsReason) {
  EXPECT_EQ(writeWhole("/dev/full", "x"), "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "written in place";
}

TEST(WholeFile, AFolderWithoutPermissionIsAFailure) {
  const Folder folder;
  const std::string closed = folder.file("closed");
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed, std::filesystem::perms::owner_read);
  if (::geteuid() == 0) // root may write everywhere but where no file can be
    EXPECT_THAT(writeWhole("/proc/a.json", "x"), HasSubstr("cannot write /proc/a.json: "));
  else
    EXPECT_THAT(WholeFile(closed + "/a.json").check(), HasSubstr("Permission denied"));
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
}

} // namespace
