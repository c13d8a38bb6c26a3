// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof info: shows what graphprof needs on this machine, and whether it is there.

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "CommandLine.h"
#include "Commands.h"
#include "Driver.h"
#include "Preload.h"
#include "graphprof/version.h"

namespace graphprof::tool {
namespace {

// Shows what the library measures about a device's clock.
void showClock(const Driver &driver, int device, const std::string &library) {
  setenv("GRAPHPROF_OUTPUT", "", 1); // so that the library writes no output
  void *const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *const facts =
      loaded
          ? reinterpret_cast<int (*)(char *, std::size_t)>(dlsym(loaded, "graphprof_clock_facts"))
          : nullptr;
  if (!facts || !driver.enter(device))
    return;
  if (char text[1024] = ""; facts(text, sizeof text) == 0)
    fmt::print("{}", text);
  driver.leave(device);
}

int showDriver(const std::string &graphprof) {
  Driver driver;
  if (!driver.whyMissing().empty()) {
    fmt::print("driver          none: {}\n", driver.whyMissing());
    fmt::print("                install NVIDIA's driver, or name its folder in LD_LIBRARY_PATH; "
               "without a GPU: graphprof sim\n");
    return 1;
  }
  if (driver.version() == 0) {
    fmt::print("driver          libcuda.so.1 does not say its version\n");
    return 1;
  }
  fmt::print("driver          CUDA {}{}\n", driver.versionText(),
             driver.isTooOld() ? ": too old, graphprof needs 12.3 or later" : "");
  if (const int begun = driver.init(); begun != 0) {
    fmt::print("devices         none: cuInit returns {}\n", begun);
    return 1;
  }
  for (int number = 0; number < driver.deviceCount(); ++number) {
    const Device device = driver.device(number);
    fmt::print("device {}        {}: compute capability {}.{}, {} multiprocessors, {:.1f} GiB\n",
               number, device.name, device.major, device.minor, device.multiprocessors,
               static_cast<double>(device.memory) / (1 << 30));
    if (!driver.isTooOld() && !graphprof.empty())
      showClock(driver, number, graphprof);
  }
  return driver.isTooOld() || driver.deviceCount() == 0 ? 1 : 0;
}

// Shows the environment variables by which other tools get into a process.
void showOthers() {
  for (const char *const variable :
       {"LD_PRELOAD", "LD_AUDIT", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
    if (const char *const value = getenv(variable); value && *value)
      printLine("{:<15} {}", variable, value);
}

} // namespace

int info(const std::vector<std::string> &arguments) {
  if (!arguments.empty()) {
    const bool asked = arguments[0] == "--help" || arguments[0] == "-h";
    fmt::print(
        asked ? stdout : stderr,
        "usage: graphprof info\n"
        "    shows the driver, the devices, and what else is set to look on\n"
        "exit status: 0 where graphprof works here, 1 where it does not, 2 called wrongly\n");
    return asked ? 0 : usageError;
  }
  fmt::print("graphprof       {}\n", GRAPHPROF_VERSION_STRING);
  const Preload preload = findPreload();
  fmt::print("preload         {}\n", preload.why.empty() ? preload.path : preload.why);
  const int status = showDriver(preload.why.empty() ? preload.library : std::string());
  showOthers();
  return preload.why.empty() ? status : 1;
}

} // namespace graphprof::tool
