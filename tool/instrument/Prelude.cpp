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
)";

/// Templates accept whatever the real wrappers accept, and match a function pointer's type as well.
std::string fallbackHeader() {
  std::string Text = "#pragma once\n"
                     "#pragma clang system_header\n"
                     "#include <cuda_runtime_api.h>\n"
                     "#define GRAPHPROF_SCOPE(...)\n"
                     "namespace graphprof::cuda {\n";
  for (const llvm::StringRef Name : graphFunctions())
    Text += ("template <class... T> cudaError_t " + Name + "(T...);\n").str();
  return Text + "}\n";
}

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithPrelude() {
  auto InMemory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  InMemory->addFile(NvccPreludePath, 0, llvm::MemoryBuffer::getMemBuffer(NvccPrelude));
  InMemory->addFile(FallbackIncludePath + "/graphprof/cuda.h", 0,
                    llvm::MemoryBuffer::getMemBufferCopy(fallbackHeader()));
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::createPhysicalFileSystem());
  Overlay->pushOverlay(InMemory);
  return Overlay;
}

} // namespace graphprof::instrument
