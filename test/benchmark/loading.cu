// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Does loading code wait for kernels that run? Loads a module of two kernels, in one way, beside a
// kernel that waits for the host, and launches them in another stream. What has not ended after
// three seconds waits. Knows graphprof not at all. The module is this source, compiled once more:
//
//     nvcc -std=c++17 -arch=native test/benchmark/loading.cu -o loading -lcuda
//     nvcc -arch=native -cubin -DMODULE test/benchmark/loading.cu -o module.cubin   # or -fatbin,
//     -ptx for loading in LAZY EAGER; do for way in module options fat library early part; do
//       CUDA_MODULE_LOADING=$loading ./loading $way module.cubin; done; done
//
// | way | |
// | --- | --- |
// | module, options, fat | cuModuleLoadData, cuModuleLoadDataEx, cuModuleLoadFatBinary |
// | library | cuLibraryLoadData, cuKernelGetFunction |
// | early | the library is loaded before the kernel waits |
// | part | the same, and one of its kernels is loaded (cuFuncLoad) |

#ifdef MODULE
extern "C" __global__ void one(int *p) { *p = 1; }
extern "C" __global__ void two(int *p) { *p = 2; }
#else

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do                                                                                               \
    if (const int error = static_cast<int>(call)) {                                                \
      std::printf("%s: error %d\n", #call, error);                                                 \
      std::exit(1);                                                                                \
    }                                                                                              \
  while (0)

namespace {

constexpr const char *names[] = {"one", "two"};
constexpr auto patience = std::chrono::seconds(3);

__global__ void waits(const volatile int *flag) {
  while (!*flag)
    ;
}

CUfunction functionOf(CUlibrary library, const char *name) {
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CHECK(cuLibraryGetKernel(&kernel, library, name));
  CHECK(cuKernelGetFunction(&function, kernel));
  return function;
}

CUlibrary loadedLibrary(const std::string &image) {
  CUlibrary library = nullptr;
  CHECK(cuLibraryLoadData(&library, image.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  return library;
}

CUmodule loadedModule(const std::string &way, const std::string &image) {
  CUmodule module = nullptr;
  if (way == "fat")
    CHECK(cuModuleLoadFatBinary(&module, image.c_str()));
  else if (way == "options")
    CHECK(cuModuleLoadDataEx(&module, image.c_str(), 0, nullptr, nullptr));
  else
    CHECK(cuModuleLoadData(&module, image.c_str()));
  return module;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string way = argv[1];
  std::ifstream file(argv[2], std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

  int *flag = nullptr, *word = nullptr;
  cudaStream_t busy = nullptr, other = nullptr;
  CHECK(cudaMallocHost(&flag, sizeof *flag));
  CHECK(cudaMalloc(&word, sizeof *word));
  CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  *flag = 0;
  CUlibrary library = way == "early" || way == "part" ? loadedLibrary(image) : nullptr;
  if (way == "part")
    CHECK(cuFuncLoad(functionOf(library, names[0])));
  CHECK(cudaDeviceSynchronize());
  waits<<<1, 1, 0, busy>>>(flag);
  CHECK(cudaGetLastError());

  std::atomic<bool> isDone{false}, hasWaited{false};
  std::thread watchdog([&] {
    const auto begin = std::chrono::steady_clock::now();
    while (!isDone && !hasWaited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      hasWaited = std::chrono::steady_clock::now() - begin > patience;
    }
    *static_cast<volatile int *>(flag) = 1;
  });
  if (way == "library")
    library = loadedLibrary(image);
  const CUmodule module = library ? nullptr : loadedModule(way, image);
  for (const char *const name : names) {
    CUfunction function = nullptr;
    if (library)
      function = functionOf(library, name);
    else
      CHECK(cuModuleGetFunction(&function, module, name));
    void *parameters[] = {static_cast<void *>(&word)};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, other, parameters, nullptr));
  }
  CHECK(cudaStreamSynchronize(other));
  isDone = true;
  watchdog.join();
  CHECK(cudaDeviceSynchronize());
  std::printf("%s, %s: %s\n", way.c_str(), argv[2], hasWaited ? "waits" : "does not wait");
  return 0;
}

#endif // MODULE
