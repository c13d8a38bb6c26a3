// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Origin.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include <sys/mman.h>
#include <unistd.h>

// Of libgraphprof_preload.so. Not by dlsym, whose failure the program would find in dlerror().
extern "C" __attribute__((weak, visibility("default"))) long long
graphprof_preload_began(int *process, const char **folder);
extern "C" __attribute__((weak, visibility("default"))) const char *
graphprof_preload_variable(const char *name);

namespace graphprof {

namespace {

constexpr std::string_view markPrefix = "memfd:graphprof-began-";
constexpr int mostGenerations = 64;

std::atomic<bool> alone{false};

std::int64_t now() {
  constexpr std::int64_t nsPerSecond = 1'000'000'000;
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * nsPerSecond + time.tv_nsec;
}

std::string workingFolder() {
  std::array<char, PATH_MAX> path{};
  return ::getcwd(path.data(), path.size()) ? std::string(path.data()) : std::string();
}

// libgraphprof_preload.so is loaded before main(), and libgraphprof maybe much later.
Origin found() {
  int process = 0;
  const char *folder = "";
  if (graphprof_preload_began)
    if (const long long ns = graphprof_preload_began(&process, &folder); ns > 0)
      return {process, ns, folder};
  return {::getpid(), now(), workingFolder()};
}

// Shows children when this process began, by the name of a mapping. Unlike a variable of the
// environment, it changes nothing in the program, and it is gone when the process is.
void mark(std::int64_t beganNs) {
  const int error = errno;
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "graphprof-began-%lld", static_cast<long long>(beganNs));
  if (const int file = ::memfd_create(name.data(), MFD_CLOEXEC); file >= 0) {
    (void)::mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE, file, 0); // stays until the process ends
    ::close(file);
  }
  errno = error;
}

const Origin &noted() {
  static const Origin *const first = [] {
    const auto *const origin = new Origin(found()); // leaked: used until the process ends
    mark(origin->beganNs);
    return origin;
  }();
  return *first;
}
[[maybe_unused]] const Origin &notedWhenLoaded = noted();

std::string contentsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// 0: unknown, or there is none. In `/proc/PID/stat`: "PID (NAME) STATE PARENT ..."; the name may
// contain anything.
pid_t parentOf(pid_t process) {
  const std::string status = contentsOf("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name = status.rfind(") ");
  constexpr std::size_t state = 4; // ") S "
  pid_t parent = 0;
  if (name != std::string::npos && status.size() > name + state)
    std::from_chars(status.data() + name + state, status.data() + status.size(), parent);
  return parent;
}

// GRAPHPROF_RUN=PID:BEGAN, as `graphprof run` sets it.
std::int64_t runBeganNs() {
  const char *const run = variableOf("GRAPHPROF_RUN");
  const std::string_view text = run ? run : "";
  const std::size_t colon = text.find(':');
  std::int64_t ns = 0;
  if (colon != std::string_view::npos)
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), ns);
  return ns;
}

std::int64_t familysBegin() {
  std::int64_t first = noted().beganNs;
  if (const std::int64_t run = runBeganNs(); run > 0)
    return std::min(first, run);
  pid_t parent = ::getppid();
  for (int i = 0; parent > 1 && i < mostGenerations; ++i) {
    if (const std::int64_t ns = markedNs(contentsOf("/proc/" + std::to_string(parent) + "/maps")))
      first = std::min(first, ns);
    parent = parentOf(parent);
  }
  return first;
}

} // namespace

const Origin &origin() { return noted(); }

void leaveFamily() noexcept { alone = true; }

const char *variableOf(const char *name) noexcept {
  return graphprof_preload_variable ? graphprof_preload_variable(name) : secure_getenv(name);
}

std::int64_t familyBeganNs() {
  if (alone)
    return noted().beganNs;
  static const std::int64_t began = familysBegin();
  return began;
}

std::int64_t markedNs(std::string_view maps) {
  std::int64_t earliest = 0;
  for (std::size_t at = maps.find(markPrefix); at != std::string_view::npos;
       at = maps.find(markPrefix, at)) {
    at += markPrefix.size();
    std::int64_t ns = 0;
    std::from_chars(maps.data() + at, maps.data() + maps.size(), ns);
    if (ns > 0 && (earliest == 0 || ns < earliest))
      earliest = ns;
  }
  return earliest;
}

std::string fromOrigin(std::string path) {
  const std::string &folder = origin().folder;
  if (path.empty() || path.front() == '/' || folder.empty())
    return path;
  return (folder.back() == '/' ? folder : folder + '/') + path;
}

std::string asSeenFromOrigin(std::string_view path) {
  const std::string &folder = origin().folder;
  if (folder.size() > 1 && path.size() > folder.size() + 1 && path.starts_with(folder) &&
      path[folder.size()] == '/')
    path.remove_prefix(folder.size() + 1);
  return std::string(path);
}

} // namespace graphprof
