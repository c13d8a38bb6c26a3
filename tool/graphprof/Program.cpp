// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "Commands.h"
#include "Elf.h"

namespace graphprof::tool {
namespace {

#if defined(__x86_64__)
constexpr unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned machine = EM_AARCH64;
#else
constexpr unsigned machine = EM_NONE; // no check of the machine
#endif

constexpr int mostInterpreters = 4; // the kernel's limit

Refusal refuse(int status, std::string why) { return {status, std::move(why)}; }

bool isFile(const std::string &path) {
  struct stat file{};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode);
}

// As execvp does: a name with a slash is a path; any other name is the first executable file of
// that name in PATH.
struct Found {
  std::string path;
  bool denied = false; // a file was found that cannot be executed
};
Found find(const std::string &name) {
  Found found;
  const auto consider = [&](const std::string &path) {
    if (!isFile(path)) {
      found.denied |= name.find('/') != std::string::npos && access(path.c_str(), F_OK) == 0;
      return false;
    }
    if (access(path.c_str(), X_OK) == 0) {
      found.path = path;
      return true;
    }
    found.denied = true;
    return false;
  };
  if (name.find('/') != std::string::npos) {
    consider(name);
    return found;
  }
  const char *const set = getenv("PATH");
  for (std::string_view rest = set ? set : "/bin:/usr/bin";;) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon); // empty: the working directory
    if (consider(folder.empty() ? name : fmt::format("{}/{}", folder, name)) ||
        colon == std::string_view::npos)
      return found;
    rest.remove_prefix(colon + 1);
  }
}

// The loader preloads nothing into a program that gains privileges when it is run.
bool gainsPrivileges(const std::string &path) {
  struct stat file{};
  if (stat(path.c_str(), &file) != 0)
    return false;
  if (((file.st_mode & S_ISUID) && file.st_uid != geteuid()) ||
      ((file.st_mode & S_ISGID) && file.st_gid != getegid()))
    return true;
  return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// AddressSanitizer ends the program if its runtime is not the first library.
Refusal checkLibraries(const std::string &path, Elf &elf) {
  const char *const options = getenv("ASAN_OPTIONS");
  if (options && std::strstr(options, "verify_asan_link_order=0"))
    return {};
  for (const std::string &library : elf.libraries())
    if (library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan"))
      return refuse(
          cannotRun,
          fmt::format("{} is linked with {}, which has to be the first library of a process "
                      "and ends it otherwise; set ASAN_OPTIONS=verify_asan_link_order=0",
                      path, library));
  return {};
}

Refusal lookAtElf(const std::string &path, std::string_view head) {
  if (head.size() < EI_NIDENT || head[EI_CLASS] != ELFCLASS64)
    return refuse(cannotRun, fmt::format("{} is a program of 32 bits, for which there is no CUDA "
                                         "driver; run it without graphprof",
                                         path));
  Elf elf(path);
  if (machine != EM_NONE && elf.machine() != machine)
    return refuse(cannotRun,
                  fmt::format("{} is built for another processor; rebuild it for this one", path));
  const std::optional<std::string> loader = elf.loader();
  if (!loader)
    return refuse(
        cannotRun,
        fmt::format("{} is linked statically: no library can be preloaded into it. Link it "
                    "with the C library's shared form, or instrument its sources "
                    "(graphprof-instrument)",
                    path));
  if (loader->find("ld-musl") != std::string::npos)
    return refuse(cannotRun,
                  fmt::format("{} uses the C library musl, and graphprof is built for glibc; "
                              "run it in a system with glibc",
                              path));
  if (access(loader->c_str(), X_OK) != 0)
    return refuse(notFound, fmt::format("{} needs the loader {}, which does not exist; install the "
                                        "C library that it was built for",
                                        path, *loader));
  if (elf.defines("graphprof_seam_launch"))
    return refuse(
        cannotRun,
        fmt::format("{} is instrumented and holds graphprof itself (libgraphprof_static.a); "
                    "run it without graphprof run, or link it with libgraphprof.so",
                    path));
  return checkLibraries(path, elf);
}

Refusal lookAtFile(const std::string &path, int interpreters) {
  std::ifstream file(path, std::ios::binary);
  std::string head(256, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open())
    return {}; // executable but not readable
  if (gainsPrivileges(path))
    return refuse(
        cannotRun,
        fmt::format("{} runs with other rights (setuid, setgid or capabilities), so no library can "
                    "be preloaded into it; run it as the user whose rights it gets",
                    path));
  if (head.starts_with(ELFMAG))
    return lookAtElf(path, head);
  if (head.starts_with("#!")) {
    std::istringstream line(head.substr(2, head.find('\n') - 2));
    std::string interpreter;
    line >> interpreter;
    if (interpreter.empty())
      return {}; // the same as without this line
    if (!isFile(interpreter))
      return refuse(
          notFound,
          fmt::format("{} is a script for '{}', which does not exist; correct its first line", path,
                      interpreter));
    if (access(interpreter.c_str(), X_OK) != 0)
      return refuse(notExecutable,
                    fmt::format("{} is a script for {}, which cannot be executed; correct its "
                                "first line, or add the permission (chmod +x)",
                                path, interpreter));
    if (interpreters == mostInterpreters)
      return refuse(
          notExecutable,
          fmt::format(
              "{}: too many interpreters that are scripts themselves; run the program behind them",
              path));
    return lookAtFile(interpreter, interpreters + 1);
  }
  // Without an interpreter, execvp runs the file with sh: an empty one, too, and one with anything
  // behind its first line.
  if (head.find('\0') < head.find('\n'))
    return refuse(notExecutable,
                  fmt::format("{} is not a program: it is neither an ELF file nor a script", path));
  return {};
}

} // namespace

Refusal checkProgram(const std::string &name) {
  const Found found = find(name);
  if (!found.path.empty())
    return lookAtFile(found.path, 0);
  if (found.denied)
    return refuse(notExecutable, fmt::format("{} cannot be executed: it is a folder, or lacks the "
                                             "permission (chmod +x)",
                                             name));
  return refuse(notFound,
                fmt::format("{}: no such program{}", name,
                            name.find('/') == std::string::npos ? " in the folders of PATH" : ""));
}

std::string conflictIn(const std::string &preloads) {
  std::string separated = preloads;
  std::ranges::replace(separated, ' ', ':');
  std::istringstream paths(separated);
  for (std::string path; std::getline(paths, path, ':');) {
    if (!isFile(path))
      continue;
    Elf elf(path);
    for (const char *const function :
         {"dlsym", "cuGetProcAddress_v2", "cuGetProcAddress", "cuGraphLaunch"})
      if (elf.defines(function))
        return fmt::format("{} ({})", path, function);
  }
  return {};
}

} // namespace graphprof::tool
