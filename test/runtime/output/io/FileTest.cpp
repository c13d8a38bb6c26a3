// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/File.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/io/FileName.h"
#include "support/Child.h"
#include "support/Stderr.h"

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

TEST(TextStream, FirstWriteMakesFile) {
  const Folder folder;
  TextStream stream(folder.file("a.txt"));
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_EQ(stream.write("one\n"), "");
  EXPECT_EQ(stream.write("two\n"), "");
  EXPECT_EQ(contents(folder.file("a.txt")), "one\ntwo\n");
  EXPECT_EQ(stream.close(), "");
}

TEST(TextStream, BrokenPipeIsFailure) {
  // A broken pipe is a failure, and not the end of the program.
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

TEST(TextStream, StandardOutputIsAppendedTo) {
  // The standard output is written where it is.
  testing::internal::CaptureStdout();                      // a file
  ASSERT_EQ(::fcntl(STDOUT_FILENO, F_SETFL, O_APPEND), 0); // as a program's log
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

TEST(TextStream, FileSizeLimitIsFailure) {
  // A limit of file sizes is a failure, and not the end of the program.
  const Folder folder;
  EXPECT_EXIT(writeBeyondTheLimit(folder.file("a.txt")), testing::ExitedWithCode(0), "");
}

// A file of that text, written by another process so long after this one began (or before).
void others(const std::string &path, const std::string &text, std::chrono::hours after) {
  std::ofstream(path) << text;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + after);
}
constexpr std::chrono::hours before{-1}, since{1};

// The name that is taken instead of `name`.
std::string other(const std::string &name) { return withPid(name); }

TEST(TextStream, FileInUseIsSpared) {
  // A file that another process writes is spared.
  const Folder folder;
  const std::string path = folder.file("a.csv");
  others(path, "theirs\n", before);
  const int theirs = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_EQ(::flock(theirs, LOCK_EX), 0); // as another process would hold it
  test::captureStderr();
  TextStream stream(path);
  EXPECT_EQ(stream.write("ours\n"), "");
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "graphprof: " + path +
          " belongs to another process, which wrote it since this run began; this process writes " +
          other(path) + ". {pid} in the name keeps them apart\n");
  EXPECT_EQ(stream.close(), "");
  ::close(theirs);
  EXPECT_EQ(contents(path), "theirs\n");
  EXPECT_EQ(contents(other(path)), "ours\n");
}

TEST(TextStream, RecentForeignFileIsSpared) {
  // A file that another process has written since this one began is spared.
  const Folder folder;
  const std::string path = folder.file("a.csv");
  others(path, "theirs\n", since);
  test::captureStderr();
  for (const char *text : {"first\n", "second\n"}) { // what is our own is not
    TextStream stream(path);
    EXPECT_EQ(stream.write(text), "");
    EXPECT_EQ(stream.close(), "");
    others(path, "theirs\n", since);
  }
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(contents(path), "theirs\n");
  EXPECT_EQ(contents(other(path)), "second\n");
}

TEST(TextStream, EarlierRunsFileIsReplaced) {
  // A file of an earlier run is replaced, and so is an empty one.
  const Folder folder;
  others(folder.file("a.csv"), "of yesterday\n", before);
  others(folder.file("b.csv"), "", since);
  for (const char *name : {"a.csv", "b.csv"}) {
    TextStream stream(folder.file(name));
    EXPECT_EQ(stream.write("ours\n"), "");
    EXPECT_EQ(stream.write("too\n"), "");
    EXPECT_EQ(stream.close(), "");
    EXPECT_EQ(contents(folder.file(name)), "ours\ntoo\n");
  }
}

TEST(TextStream, StreamsDoNotShareFile) {
  // Two streams of one process do not share a file either.
  const Folder folder;
  test::captureStderr();
  TextStream one(folder.file("a.csv")), another(folder.file("a.csv"));
  EXPECT_EQ(one.write("one\n"), "");
  EXPECT_EQ(another.write("another\n"), "");
  EXPECT_EQ(one.write("more\n"), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "graphprof: " + folder.file("a.csv") +
                " is written by another output of this process; this one writes " +
                other(folder.file("a.csv")) + ". Give each a name of its own\n");
  EXPECT_EQ(contents(folder.file("a.csv")), "one\nmore\n");
  EXPECT_EQ(contents(other(folder.file("a.csv"))), "another\n");
}

// A file that another process held when the stream was made is spared. Its owner may end, or be
// killed, before this process writes.
TEST(TextStream, FormerlyHeldFileIsSpared) {
  const Folder folder;
  const std::string path = folder.file("a.csv");
  others(path, "theirs\n", before);
  const int theirs = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_EQ(::flock(theirs, LOCK_EX), 0);
  test::captureStderr();
  TextStream stream(path);
  ::close(theirs);
  EXPECT_EQ(stream.write("ours\n"), "");
  EXPECT_EQ(stream.close(), "");
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(contents(path), "theirs\n");
  EXPECT_EQ(contents(other(path)), "ours\n");
}

// The file's time is when it was closed, not when it was written. So a process that began
// meanwhile knows that the file is of one that ran beside it.
TEST(TextStream, ClosingSetsFileTime) {
  const Folder folder;
  TextStream stream(folder.file("a.csv"));
  EXPECT_EQ(stream.write("text\n"), "");
  others(folder.file("b.csv"), "", before);
  const auto longAgo = std::filesystem::last_write_time(folder.file("b.csv"));
  std::filesystem::last_write_time(folder.file("a.csv"), longAgo);
  EXPECT_EQ(stream.close(), "");
  EXPECT_GT(std::filesystem::last_write_time(folder.file("a.csv")),
            longAgo + std::chrono::minutes(30));
}

// A child's own files are those that it has written itself.
[[noreturn]] void writeInAChild(const std::string &path) {
  TextStream parents(path);
  bool right = parents.write("parent\n").empty() && parents.close().empty();
  const pid_t child = ::fork();
  if (child == 0) {
    TextStream own(path);
    right = right && own.write("child\n").empty() && own.close().empty();
    right = right && contents(path) == "parent\n" && contents(withPid(path)) == "child\n";
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

TEST(TextStream, ForkedChildSparesParentsFile) {
  const Folder folder;
  EXPECT_EXIT(writeInAChild(folder.file("a.csv")), testing::ExitedWithCode(0), "");
}

// A file that the program has open is written where it is. "/dev/fd/7" and a link to it: what is
// there stays, also what the program writes afterwards.
TEST(TextStream, OpenFileIsWrittenInPlace) {
  const Folder folder;
  const int mine = ::open(folder.file("log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(::write(mine, "mine\n", 5), 5);
  const std::string number = std::to_string(mine);
  std::filesystem::create_symlink("/dev/fd/" + number, folder.file("link"));
  for (const std::string &path :
       {"/dev/fd/" + number, "/proc/self/fd/" + number,
        "/proc/" + std::to_string(::getpid()) + "/fd/" + number, folder.file("link")}) {
    TextStream stream(path);
    EXPECT_EQ(stream.write("ours\n"), "") << path;
    EXPECT_EQ(stream.close(), "");
  }
  EXPECT_EQ(writeWhole(folder.file("link"), "whole\n"), "");
  ASSERT_EQ(::write(mine, "behind\n", 7), 7);
  ::close(mine);
  EXPECT_EQ(contents(folder.file("log")), "mine\nours\nours\nours\nours\nwhole\nbehind\n");
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("link", "log"));
}

TEST(TextStream, ClosedDescriptorIsFailure) {
  // A descriptor that is closed when the stream is made is a failure.
  TextStream stream("/dev/fd/987");
  EXPECT_EQ(stream.write("text"), "cannot write /dev/fd/987: Bad file descriptor");
}

// A descriptor that the program uses for another file is not followed. Nor is it this stream's any
// more what the program opens under the number.
TEST(TextStream, ReusedDescriptorIsNotFollowed) {
  const Folder folder;
  const int mine = ::open(folder.file("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  TextStream stream("/dev/fd/" + std::to_string(mine));
  const int next = ::open(folder.file("mine").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(mine, 0);
  ASSERT_GE(next, 0);
  ASSERT_EQ(::dup2(next, mine), mine);
  EXPECT_EQ(stream.write("text\n"), "");
  ::close(next);
  ::close(mine);
  EXPECT_EQ(contents(folder.file("mine")), "");
  EXPECT_EQ(contents(folder.file("log")), "text\n");
}

// Only a pipe is said to have no reader. As /dev/tty without a terminal: the same error as of a
// pipe without a reader.
TEST(TextStream, PipeAloneLacksReader) {
  const Folder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.file("socket");
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(socket, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  TextStream stream(path);
  EXPECT_EQ(stream.write("x"), "cannot open " + path + ": No such device or address");
  ::close(socket);
}

// A sandbox that was made for older programs.
[[noreturn]] void writeWithoutStatx(const std::string &folder, bool opened) {
  TextStream stream(folder + "/a.csv");
  bool right = !opened || stream.write("before\n").empty();
  std::array<sock_filter, 4> refuse = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{refuse.size(), refuse.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(2);
  right = right && stream.write("behind\n").empty() && stream.close().empty();
  right = right && writeWhole(folder + "/a.json", "whole").empty();
  right = right && mayWriteStandard(STDOUT_FILENO); // still the same file as at the load
  _exit(right ? 0 : 1);
}

TEST(TextStream, MissingStatxLosesNothing) {
  // A sandbox without statx is no reason to lose anything.
  for (const bool opened : {false, true}) {
    const Folder folder;
    const std::string path = folder.file("");
    EXPECT_EXIT(writeWithoutStatx(path.substr(0, path.size() - 1), opened),
                testing::ExitedWithCode(0), "");
    EXPECT_EQ(contents(folder.file("a.csv")), opened ? "before\nbehind\n" : "behind\n");
    EXPECT_EQ(contents(folder.file("a.json")), "whole");
    EXPECT_EQ(folder.names().size(), 2U);
  }
}

// In a process of its own, since what it was given as descriptors is gone.
[[noreturn]] void closeAllAndOpen(const std::string &folder, rlim_t most, bool fileStays) {
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_NOFILE, &limit);
  TextStream stream(folder + "/a.csv");
  bool right = stream.write("before\n").empty();
  if (!fileStays)
    ::unlink((folder + "/a.csv").c_str());
  constexpr int all = 4096;
  for (int descriptor = 2; descriptor < all; ++descriptor)
    ::close(descriptor);
  for (int i = 2; i < all; ++i) // as far as there may be some
    (void)::open((folder + "/mine").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const std::string failed = stream.write("behind\n");
  right = right &&
          (fileStays ? failed.empty()
                     : failed == "cannot write " + folder +
                                     "/a.csv: the program closed graphprof's descriptor of it");
  right = right && stream.close().empty();
  TextStream standard("");
  right = right && standard.write("text") ==
                       "cannot write standard error: the program has put another file in its place";
  writeError("text");
  _exit(right && ::fcntl(2, F_GETFD) >= 0 ? 0 : 1);
}

TEST(TextStream, ClosedDescriptorsSpareProgramsFiles) {
  // Where the program closes all descriptors, its own files are not written.
  const Folder folder;
  const std::string path = folder.file("");
  const std::string there = path.substr(0, path.size() - 1);
  EXPECT_EXIT(closeAllAndOpen(there, 4096, false), testing::ExitedWithCode(0), "");
  EXPECT_EQ(contents(folder.file("mine")), "");
  // Room is left for one descriptor, by which what was closed is opened once more.
  EXPECT_EXIT(closeAllAndOpen(there, 4097, true), testing::ExitedWithCode(0), "");
  EXPECT_EQ(contents(folder.file("mine")), "");
  EXPECT_EQ(contents(folder.file("a.csv")), "before\nbehind\n");
}

TEST(Descriptor, IsHighAndClosedAtExec) {
  const Descriptor descriptor(::open("/dev/null", O_WRONLY));
  ASSERT_TRUE(descriptor.isOpen());
  EXPECT_GE(descriptor.number(), 256);
  EXPECT_EQ(::fcntl(descriptor.number(), F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(descriptor.isOurs());
}

TEST(Descriptor, ProgramsNumberIsNotClosed) {
  // A number that is the program's by now is not closed.
  const Folder folder;
  Descriptor descriptor(::open("/dev/null", O_WRONLY));
  const int mine = ::open(folder.file("mine").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const int number = descriptor.number();
  ASSERT_GE(mine, 0);
  ASSERT_EQ(::dup2(mine, number), number);
  EXPECT_FALSE(descriptor.isOurs());
  EXPECT_EQ(descriptor.close(), 0);
  EXPECT_GE(::fcntl(number, F_GETFD), 0);
  ::close(number);
  ::close(mine);
}

TEST(WholeFile, UnreadPipeHoldsNobodyUp) {
  const Folder folder;
  const std::string path = folder.file("pipe.json");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(writeWhole(path, "x"),
            "cannot write " + path + ": nobody reads this pipe; start its reader");
  TextStream stream(path);
  EXPECT_EQ(stream.write("x"),
            "cannot open " + path + ": nobody reads this pipe; start its reader");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(WholeFile, PipeWaitsForLateReader) {
  // A pipe is written where its reader comes later.
  const Folder folder;
  const std::string path = folder.file("pipe.json");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100)); // it comes late
    read = contents(path);
  });
  const std::string much(1'000'000, 'x'); // more than the pipe holds
  EXPECT_EQ(writeWhole(path, much), "");
  reader.join();
  EXPECT_TRUE(read == much);
}

TEST(WholeFile, ForeignFileIsSparedIfAsked) {
  // A file of another process is spared where that is asked for.
  const Folder folder;
  const std::string path = folder.file("named.json"), spared = folder.file("a.json");
  others(path, "theirs", since);
  others(spared, "theirs", since);
  EXPECT_EQ(writeWhole(path, "ours"), "") << "the program named it itself";
  EXPECT_NE(contents(path), "theirs");
  test::captureStderr();
  EXPECT_EQ(graphprof::writeWhole(spared, "ours", Existing::KeepForeign), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("this process writes " + other(spared)));
  EXPECT_EQ(contents(spared), "theirs");
  EXPECT_EQ(contents(other(spared)), "ours");
  others(spared, "of yesterday", before);
  EXPECT_EQ(graphprof::writeWhole(spared, "ours", Existing::KeepForeign), "");
  EXPECT_EQ(contents(spared), "ours");
}

TEST(WholeFile, FileInUseIsSpared) {
  // A file that somebody writes piece by piece is spared.
  const Folder folder;
  const std::string path = folder.file("a.json");
  others(path, "theirs", before);
  const int theirs = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_EQ(::flock(theirs, LOCK_EX), 0);
  test::captureStderr();
  EXPECT_EQ(graphprof::writeWhole(path, "ours", Existing::KeepForeign), "");
  testing::internal::GetCapturedStderr();
  ::close(theirs);
  EXPECT_EQ(contents(path), "theirs");
  EXPECT_EQ(contents(other(path)), "ours");
}

TEST(WholeFile, ForeignTemporaryIsLeftAlone) {
  // A file that is there under the temporary name is left alone.
  const Folder folder;
  const std::string temporary = folder.file("a.json." + std::to_string(::getpid()) + ".tmp");
  std::ofstream(temporary) << "mine";
  EXPECT_EQ(writeWhole(folder.file("a.json"), "text"), "");
  EXPECT_EQ(contents(temporary), "mine");
  EXPECT_EQ(contents(folder.file("a.json")), "text");
}

TEST(WholeFile, SymbolicLinkIsFollowed) {
  // A symbolic link is followed, and stays.
  const Folder folder;
  std::filesystem::create_directory(folder.file("data"));
  std::ofstream(folder.file("data/there.json")) << "old";
  std::filesystem::create_symlink("data/there.json", folder.file("link.json"));
  std::filesystem::create_symlink(folder.file("link.json"), folder.file("link to link.json"));
  std::filesystem::create_symlink("data/none.json", folder.file("dangling.json"));
  EXPECT_EQ(writeWhole(folder.file("link to link.json"), "new"), "");
  WholeFile dangling(folder.file("dangling.json"));
  EXPECT_EQ(dangling.check(), "");
  EXPECT_EQ(writeWhole(folder.file("dangling.json"), "new"), "");
  for (const char *link : {"link.json", "link to link.json", "dangling.json"})
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file(link))) << link;
  EXPECT_EQ(contents(folder.file("data/there.json")), "new");
  EXPECT_EQ(contents(folder.file("data/none.json")), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("data")), {}), 2);
}

// What somebody else put into a folder that all may write: nothing of it is followed or changed.
TEST(Files, AnotherUsersAreLeftAlone) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make files of another user";
  constexpr uid_t nobody = 65'534;
  const Folder shared, own;
  const std::string victim = own.file("victim");
  std::ofstream(victim) << "mine";
  ::chmod(shared.file("").c_str(), 01777);
  std::filesystem::create_symlink(victim, shared.file("link"));
  std::ofstream(shared.file("file")) << "theirs";
  ::mkfifo(shared.file("pipe").c_str(), 0666);
  std::filesystem::create_symlink("link", shared.file("mine")); // of this user, to the other's
  for (const char *const name : {"link", "file", "pipe"})
    ASSERT_EQ(::lchown(shared.file(name).c_str(), nobody, nobody), 0);
  std::filesystem::create_hard_link(victim, shared.file("hard"));
  for (const char *const name : {"link", "file", "pipe", "mine", "hard"}) {
    TextStream stream(shared.file(name));
    EXPECT_THAT(stream.write("text"), HasSubstr("another user put it into a folder")) << name;
    EXPECT_THAT(writeWhole(shared.file(name), "text"), HasSubstr("another user put it")) << name;
  }
  EXPECT_EQ(contents(victim), "mine");
  EXPECT_EQ(contents(shared.file("file")), "theirs");
  EXPECT_THAT(shared.names(),
              testing::UnorderedElementsAre("link", "file", "pipe", "mine", "hard"));
  // The folder's owner may put links there, and a user links of their own.
  std::filesystem::create_symlink(victim, shared.file("link of mine"));
  EXPECT_EQ(writeWhole(shared.file("link of mine"), "new"), "");
  EXPECT_EQ(contents(victim), "new");
}

// A full disk; and nobody destroys the file, as at the end of a process.
[[noreturn]] void writeAWholeFileBeyondTheLimit(const std::string &path) {
  const rlimit limit{1'000, 1'000};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  for (const std::size_t size :
       {std::size_t{100'000}, std::size_t{1'000'000}}) { // of a buffer and more
    auto *const file = new WholeFile(path);
    std::string failed = file->open();
    if (failed.empty())
      failed = file->write(std::string(size, 'x'));
    if (failed.empty())
      failed = file->commit();
    if (failed != "cannot write " + path + ": File too large")
      _exit(1);
  }
  _exit(0);
}

TEST(WholeFile, FailureLeavesNothingBehind) {
  const Folder folder;
  EXPECT_EXIT(writeAWholeFileBeyondTheLimit(folder.file("a.json")), testing::ExitedWithCode(0), "");
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(WholeFile, AppearsWhenWhole) {
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

TEST(WholeFile, OldFileStaysUntilCommit) {
  // The old file is left alone until the new one is whole.
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

TEST(WholeFile, NameChoosesCompression) {
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

TEST(WholeFile, EmptyFileIsCompressed) {
  // A compressed file of nothing is one, too.
  if (!Gzip::builtIn())
    GTEST_SKIP() << "built without zlib";
  const Folder folder;
  EXPECT_EQ(writeWhole(folder.file("a.gz"), ""), "");
  const Child gzip = runChild("gzip -dc " + folder.file("a.gz"));
  EXPECT_EQ(gzip.status, 0);
  EXPECT_EQ(gzip.output, "");
}

TEST(WholeFile, MissingFolderIsFoundEarly) {
  // A missing folder is found before anything is written.
  const Folder folder;
  const std::string path = folder.file("no/such/a.json");
  EXPECT_EQ(WholeFile(path).check(), "cannot write " + path + ": No such file or directory");
  EXPECT_EQ(writeWhole(path, "x"), "cannot write " + path + ": No such file or directory");
}

TEST(WholeFile, MixedUpFolderIsFailure) {
  // A file in place of a folder, and a folder in place of a file, are failures.
  const Folder folder;
  ASSERT_EQ(writeWhole(folder.file("file"), "x"), "");
  EXPECT_THAT(WholeFile(folder.file("file/a.json")).check(), HasSubstr("Not a directory"));
  std::filesystem::create_directory(folder.file("a.json"));
  EXPECT_THAT(WholeFile(folder.file("a.json")).check(), HasSubstr("Is a directory"));
}

TEST(WholeFile, FullDiskIsFailure) {
  EXPECT_EQ(writeWhole("/dev/full", "x"), "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "written in place";
}

TEST(WholeFile, ForbiddenFolderIsFailure) {
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
