// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof info: shows what graphprof needs on this machine, and whether it is there.

#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "CommandLine.h"
#include "Commands.h"
#include "Preload.h"
#include "graphprof/version.h"

namespace graphprof::tool {
namespace {

// The driver functions that `info` calls. The driver may be too old for the library, so they are
// looked up here.
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*version)(int *) = nullptr;
  int (*count)(int *) = nullptr;
  int (*name)(char *, int, int) = nullptr;
  int (*attribute)(int *, int, int) = nullptr;
  int (*memory)(std::size_t *, int) = nullptr;
  int (*retain)(void **, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*setCurrent)(void *) = nullptr;
};

constexpr int computeMajor = 75, computeMinor = 76, multiprocessors = 16; // CUdevice_attribute
constexpr int oldestVersion = 12030;

template <class Function> void find(void *library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
}

std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Shows what the library measures about a device's clock.
void showClock(const Driver &driver, int device, const std::string &library) {
  setenv("GRAPHPROF_OUTPUT", "", 1); // so that the library writes no output
  void *const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  int (*facts)(char *, std::size_t) = nullptr;
  if (loaded)
    find(loaded, "graphprof_clock_facts", facts);
  void *context = nullptr;
  if (!facts || !driver.retain || !driver.release || !driver.setCurrent ||
      driver.retain(&context, device) != 0)
    return;
  if (char text[1024] = ""; driver.setCurrent(context) == 0 && facts(text, sizeof text) == 0)
    fmt::print("{}", text);
  driver.setCurrent(nullptr);
  driver.release(device);
}

int showDriver(const std::string &graphprof) {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fmt::print("driver          none: {}\n", dlerror());
    fmt::print("                install NVIDIA's driver, or name its folder in LD_LIBRARY_PATH; "
               "without a GPU: graphprof sim\n");
    return 1;
  }
  Driver driver;
  find(library, "cuInit", driver.init);
  find(library, "cuDriverGetVersion", driver.version);
  find(library, "cuDeviceGetCount", driver.count);
  find(library, "cuDeviceGetName", driver.name);
  find(library, "cuDeviceGetAttribute", driver.attribute);
  find(library, "cuDeviceTotalMem_v2", driver.memory);
  find(library, "cuDevicePrimaryCtxRetain", driver.retain);
  find(library, "cuDevicePrimaryCtxRelease_v2", driver.release);
  find(library, "cuCtxSetCurrent", driver.setCurrent);
  int version = 0;
  if (!driver.version || driver.version(&version) != 0) {
    fmt::print("driver          libcuda.so.1 does not say its version\n");
    return 1;
  }
  const bool isOld = version < oldestVersion;
  fmt::print("driver          CUDA {}{}\n", versionText(version),
             isOld ? ": too old, graphprof needs 12.3 or later" : "");
  int count = 0;
  const int begun = driver.init ? driver.init(0) : -1;
  if (begun != 0 || !driver.count || driver.count(&count) != 0) {
    fmt::print("devices         none: cuInit returns {}\n", begun);
    return 1;
  }
  for (int device = 0; device < count; ++device) {
    char name[256] = "";
    int major = 0, minor = 0, processors = 0;
    std::size_t memory = 0;
    driver.name(name, sizeof name, device);
    driver.attribute(&major, computeMajor, device);
    driver.attribute(&minor, computeMinor, device);
    driver.attribute(&processors, multiprocessors, device);
    driver.memory(&memory, device);
    fmt::print("device {}        {}: compute capability {}.{}, {} multiprocessors, {:.1f} GiB\n",
               device, name, major, minor, processors, static_cast<double>(memory) / (1 << 30));
    if (!isOld && !graphprof.empty())
      showClock(driver, device, graphprof);
  }
  return isOld || count == 0 ? 1 : 0;
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
