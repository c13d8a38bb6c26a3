// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Prelude.h"

#include "GraphFunctions.h"

#include "llvm/Support/MemoryBuffer.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral NvccPrelude = R"(
#pragma clang system_header
#define __NVCC__ 1
#undef __CUDACC__
#define __CUDACC__ 1
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

// Nvcc's own headers include these, and sources rely on it.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <utility>

// Where NDEBUG keeps <assert.h> from declaring it, CCCL declares it for host and device, which clang
// takes for a conflict with its own, the device's.
#ifdef NDEBUG
extern "C" __attribute__((host, device, noreturn)) void
graphprof_assert_fail(const char *, const char *, unsigned, const char *) noexcept;
#define __assert_fail graphprof_assert_fail
#endif

// Nvcc answers these itself. Clang cannot tell which lambda is for the device; sources insist that
// some are, and a lambda that is for both passes everywhere.
#ifdef __CUDACC_EXTENDED_LAMBDA__
namespace graphprof_prelude {
template <class T> constexpr bool isClosure() {
  constexpr const char *Name = __PRETTY_FUNCTION__; // "bool ...isClosure() [T = (lambda at ...)]"
  for (const char *At = Name; *At != 0; ++At)
    if (At[0] == '=' && At[1] == ' ' && At[2] == '(' && At[3] == 'l' && At[4] == 'a' &&
        At[5] == 'm')
      return true;
    else if (At[0] == '=')
      return false;
  return false;
}
}
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) \
  (::graphprof_prelude::isClosure<__VA_ARGS__>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#endif

// Clang's headers do not have these stores at all.
#define GRAPHPROF_STORE(Name) \
  template <class To, class Value> __attribute__((device)) void Name(To *, Value);
GRAPHPROF_STORE(__stwb)
GRAPHPROF_STORE(__stcg)
GRAPHPROF_STORE(__stcs)
#undef GRAPHPROF_STORE

// Of these it has only the device's outside std.
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

// Clang's header has only the device's.
#define GRAPHPROF_BOTH(Result, Left, Right) \
  __attribute__((host)) Result min(Left, Right); \
  __attribute__((host)) Result max(Left, Right);
#define GRAPHPROF_INTEGERS(Type) \
  GRAPHPROF_BOTH(Type, Type, Type) \
  GRAPHPROF_BOTH(unsigned Type, unsigned Type, unsigned Type) \
  GRAPHPROF_BOTH(unsigned Type, Type, unsigned Type) \
  GRAPHPROF_BOTH(unsigned Type, unsigned Type, Type)
GRAPHPROF_INTEGERS(int)
GRAPHPROF_INTEGERS(long)
GRAPHPROF_INTEGERS(long long)
GRAPHPROF_BOTH(float, float, float)
GRAPHPROF_BOTH(double, double, double)
GRAPHPROF_BOTH(double, float, double)
GRAPHPROF_BOTH(double, double, float)
#undef GRAPHPROF_INTEGERS
#undef GRAPHPROF_BOTH
)";

/// Templates accept whatever the real wrappers accept, and match a function pointer's type as well.
std::string fallbackCudaHeader() {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda_runtime_api.h>\n"
                     "#define GRAPHPROF_SCOPE(...)\n"
                     "#define GRAPHPROF_STEP(...)\n"
                     "#define GRAPHPROF_TIMED(...) ((void)0)\n"
                     "namespace graphprof::cuda {\n";
  for (const llvm::StringRef Name : graphFunctions())
    if (Name.starts_with("cuda"))
      Text += ("template <class... T> cudaError_t " + Name + "(T...);\n").str();
  // As CUDA's own, which may be templates with arguments of their own.
  for (const llvm::StringRef Name : memoryFunctions())
    if (Name.starts_with("cuda"))
      Text += ("using ::" + Name + ";\n").str();
  return Text + "}\n";
}

std::string fallbackDriverHeader() {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda.h>\n"
                     "namespace graphprof::cuda {\n";
  for (const llvm::StringRef Name : graphFunctions())
    if (!Name.starts_with("cuda"))
      Text += ("template <class... T> CUresult " + Name + "(T...);\n").str();
  for (const llvm::StringRef Name : memoryFunctions())
    if (!Name.starts_with("cuda"))
      Text += ("using ::" + Name + ";\n").str();
  return Text + "}\n";
}

/// Functions without prototypes accept whatever the real ones accept, in the C of before 2023.
std::string fallbackCHeader() {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda_runtime_api.h>\n"
                     "#if __has_include(<cuda.h>)\n"
                     "#include <cuda.h>\n"
                     "#endif\n";
  for (const auto List : {graphFunctions(), memoryFunctions()})
    for (const llvm::StringRef Name : List) {
      const llvm::StringRef Result = Name.starts_with("cuda") ? "enum cudaError" : "int";
      Text += (Result + " graphprof_" + Name + "();\n").str();
      if (hasFormWithEdgeData(Name))
        Text += (Result + " graphprof_" + Name + "_v2();\n").str();
    }
  return Text;
}

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithPrelude() {
  auto InMemory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  InMemory->addFile(NvccPreludePath, 0, llvm::MemoryBuffer::getMemBuffer(NvccPrelude));
  const auto StandIn = [&](llvm::StringRef Name, const std::string &Text) {
    InMemory->addFile(FallbackIncludePath + "/graphprof/" + Name, 0,
                      llvm::MemoryBuffer::getMemBufferCopy(Text));
  };
  StandIn("cuda.h", fallbackCudaHeader());
  StandIn("cuda_driver.h", fallbackDriverHeader());
  StandIn("c.h", fallbackCHeader());
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::createPhysicalFileSystem());
  Overlay->pushOverlay(InMemory);
  return Overlay;
}

} // namespace graphprof::instrument
