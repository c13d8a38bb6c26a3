// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Loads cuBLAS with dlopen. Declares its types here, so that nothing is linked.

#include "cublas.h"

#include <stdexcept>
#include <string>

#include <cublas_v2.h>
#include <dlfcn.h>

#include "check.h"

namespace benchmark {

static constexpr std::size_t workspaceBytes = 32 << 20;

struct Cublas::Functions {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) setStream;
  decltype(&cublasSetWorkspace_v2) setWorkspace;
  decltype(&cublasHSHgemvStridedBatched) gemv;
};

template <class Function> static void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    throw std::runtime_error(std::string("cuBLAS lacks ") + name);
}

static void checkCublas(cublasStatus_t status, const char *call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": cuBLAS status " + std::to_string(status));
}

Cublas::Cublas() {
  void *library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(std::string("no cuBLAS: ") + dlerror());
  static Functions functions;
  find(library, "cublasCreate_v2", functions.create);
  find(library, "cublasDestroy_v2", functions.destroy);
  find(library, "cublasSetStream_v2", functions.setStream);
  find(library, "cublasSetWorkspace_v2", functions.setWorkspace);
  find(library, "cublasHSHgemvStridedBatched", functions.gemv);
  functions_ = &functions;
  cublasHandle_t handle = nullptr;
  checkCublas(functions.create(&handle), "cublasCreate");
  handle_ = handle;
  CHECK(cudaMalloc(&workspace_, workspaceBytes));
}

Cublas::~Cublas() {
  functions_->destroy(static_cast<cublasHandle_t>(handle_));
  cudaFree(workspace_);
}

void Cublas::gemv(cudaStream_t stream, int rows, int columns, const __half *W, const __half *x,
                  float beta, __half *y) const {
  const auto handle = static_cast<cublasHandle_t>(handle_);
  const float one = 1;
  checkCublas(functions_->setStream(handle, stream), "cublasSetStream");
  // Setting the stream has restored cuBLAS's own workspace.
  checkCublas(functions_->setWorkspace(handle, workspace_, workspaceBytes), "cublasSetWorkspace");
  // cuBLAS is column-major, where W is the transpose of a columns x rows matrix.
  checkCublas(functions_->gemv(handle, CUBLAS_OP_T, columns, rows, &one, W, columns, 0, x, 1, 0,
                               &beta, y, 1, 0, 1),
              "cublasHSHgemvStridedBatched");
}

} // namespace benchmark
