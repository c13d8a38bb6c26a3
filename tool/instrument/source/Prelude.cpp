// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Prelude.h"

#include "facts/GraphFunctions.h"
#include "source/CompileArgs.h"

#include "llvm/Support/MemoryBuffer.h"

namespace graphprof::instrument {
namespace {

/// The text of <graphprof/detail/named.h>.
constexpr llvm::StringLiteral NamedHeader =
#include "NamedHeader.inc"
    ;

/// What a twin needs of <graphprof/device/twin.h> to parse.
constexpr llvm::StringLiteral TwinHeader = R"(
#pragma once
#pragma clang system_header
#define GRAPHPROF_RECORDING const ::graphprof::device::Recording
#define GRAPHPROF_TWIN(kernel, twin, ...)
#define GRAPHPROF_TWIN_SCOPES(scopes, ...)
#define GRAPHPROF_TWIN_INSTANCE(object, scopes, name, ...)
namespace graphprof::device {
struct Recording {};
struct Recorder {
  __attribute__((device)) explicit Recorder(const Recording &);
  __attribute__((device)) ~Recorder();
};
struct Scope {
  __attribute__((device)) Scope(Recorder &, unsigned);
  __attribute__((device)) ~Scope();
};
struct ScopeSite {
  const char *name, *file;
  int line;
};
}
)";

constexpr llvm::StringLiteral NvccPrelude = R"(
#pragma clang system_header
// Uses reserved names, because the command line may define any other name as a macro.
#define __NVCC__ 1
#undef __CUDACC__
#define __CUDACC__ 1
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

// nvcc's own headers include these, and sources rely on it.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <utility>

// With NDEBUG, <assert.h> does not declare it, but CCCL does, for host and device. Clang reports a
// conflict with its own declaration, which is for the device.
#ifdef NDEBUG
extern "C" __attribute__((host, device, noreturn)) void
graphprof_assert_fail(const char *, const char *, unsigned, const char *) noexcept;
#define __assert_fail graphprof_assert_fail
#endif

// nvcc implements these itself. Clang cannot tell which lambda is for the device. Some sources
// require that a lambda is; a lambda for host and device is accepted everywhere.
#ifdef __CUDACC_EXTENDED_LAMBDA__
namespace graphprof_prelude {
template <class __T> constexpr bool __isClosure() {
  constexpr const char *__Name = __PRETTY_FUNCTION__; // "bool ...() [__T = (lambda at ...)]"
  for (const char *__At = __Name; *__At != 0; ++__At)
    if (__At[0] == '=' && __At[1] == ' ' && __At[2] == '(' && __At[3] == 'l' && __At[4] == 'a' &&
        __At[5] == 'm')
      return true;
    else if (__At[0] == '=')
      return false;
  return false;
}
// Depends on the type, as nvcc's does, so a template evaluates it when it is instantiated.
template <class __T> constexpr bool __isForDeviceOnly() { return false; }
}
#define __nv_is_extended_device_lambda_closure_type(...) \
  (::graphprof_prelude::__isForDeviceOnly<__VA_ARGS__>())
#define __nv_is_extended_host_device_lambda_closure_type(...) \
  (::graphprof_prelude::__isClosure<__VA_ARGS__>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) \
  (::graphprof_prelude::__isForDeviceOnly<__VA_ARGS__>())
#endif

// Clang's headers lack these stores.
#define GRAPHPROF_STORE(__Name) \
  template <class __To, class __Value> __attribute__((device)) void __Name(__To *, __Value);
GRAPHPROF_STORE(__stwb)
GRAPHPROF_STORE(__stcg)
GRAPHPROF_STORE(__stcs)
#undef GRAPHPROF_STORE

// Outside std, clang's header has only the device versions of these.
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

// Clang's header has only the device versions.
#define GRAPHPROF_BOTH(__Result, __Left, __Right) \
  __attribute__((host)) __Result min(__Left, __Right); \
  __attribute__((host)) __Result max(__Left, __Right);
#define GRAPHPROF_INTEGERS(__Type) \
  GRAPHPROF_BOTH(__Type, __Type, __Type) \
  GRAPHPROF_BOTH(unsigned __Type, unsigned __Type, unsigned __Type) \
  GRAPHPROF_BOTH(unsigned __Type, __Type, unsigned __Type) \
  GRAPHPROF_BOTH(unsigned __Type, unsigned __Type, __Type)
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

/// Templates accept what the real wrappers accept, and also match the type of a function pointer.
/// `auto` would not match such a type. For names in `Used`, CUDA's headers have declared the real
/// function, whose type is taken.
std::string declared(llvm::StringRef Result, llvm::StringRef Name, const llvm::StringSet<> &Used) {
  if (Used.contains(Name) && !hasOverloads(Name))
    return ("using ::" + Name + ";\n").str();
  return ("template <class... __T> " + Result + " " + Name + "(__T...);\n").str();
}

/// As CUDA's own function, which may be a template with arguments of its own.
std::string declaredAsCudas(llvm::StringRef Name) {
  const std::string Using = ("using ::" + Name + ";\n").str();
  const unsigned Since = sinceToolkit(Name);
  return Since == 0 ? Using
                    : ("#if CUDART_VERSION >= " + llvm::Twine(Since) +
                       " || CUDA_VERSION >= " + llvm::Twine(Since) + "\n" + Using + "#endif\n")
                          .str();
}

std::string fallbackCudaHeader(const llvm::StringSet<> &Used) {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda_runtime_api.h>\n"
                     "#define GRAPHPROF_SCOPE(...)\n"
                     "#define GRAPHPROF_STEP(...)\n"
                     "#define GRAPHPROF_GRAPH(...)\n"
                     "#define GRAPHPROF_TIMED(...) ((void)0)\n"
                     "namespace graphprof::cuda {\n";
  for (const llvm::StringRef Name : graphFunctions())
    if (Name.starts_with("cuda"))
      Text += declared("cudaError_t", Name, Used);
  for (const llvm::StringRef Name : memoryFunctions())
    if (Name.starts_with("cuda"))
      Text += declaredAsCudas(Name);
  return Text + "}\n";
}

std::string fallbackDriverHeader(const llvm::StringSet<> &Used) {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda.h>\n"
                     "namespace graphprof::cuda {\n";
  for (const llvm::StringRef Name : graphFunctions())
    if (!Name.starts_with("cuda"))
      Text += declared("CUresult", Name, Used);
  for (const llvm::StringRef Name : memoryFunctions())
    if (!Name.starts_with("cuda"))
      Text += declaredAsCudas(Name);
  return Text + "}\n";
}

/// Before C23, functions without prototypes accept any arguments.
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

void addStandIns(llvm::vfs::InMemoryFileSystem &Into, const llvm::StringSet<> &Used) {
  const auto Add = [&](llvm::StringRef Name, const std::string &Text) {
    Into.addFile(FallbackIncludePath + "/graphprof/" + Name, 0,
                 llvm::MemoryBuffer::getMemBufferCopy(Text));
  };
  Add("cuda.h", fallbackCudaHeader(Used));
  Add("cuda_driver.h", fallbackDriverHeader(Used));
  Add("c.h", fallbackCHeader());
  Add("detail/named.h", NamedHeader.str());
  Add("device/twin.h", TwinHeader.str());
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithPrelude() {
  auto InMemory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  InMemory->addFile(NvccPreludePath, 0, llvm::MemoryBuffer::getMemBuffer(NvccPrelude));
  addStandIns(*InMemory, {});
  for (const auto &[Name, Path] : gccHeadersThatClangLacks())
    InMemory->addFile(GccIncludePath + "/" + Name, 0,
                      llvm::MemoryBuffer::getMemBufferCopy(
                          "#pragma clang system_header\n#include \"" + Path + "\"\n"));
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::createPhysicalFileSystem());
  Overlay->pushOverlay(InMemory);
  return Overlay;
}

} // namespace graphprof::instrument
