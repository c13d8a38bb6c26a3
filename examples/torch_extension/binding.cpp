// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes layers.cu available to Python. Any C++ compiler can compile it where PyTorch is installed.
// It needs neither a CUDA toolkit nor the tool.

#include <torch/extension.h>

#include <cstdint>

#include "layers.h"

// PyTorch's stable C interface (torch/csrc/inductor/aoti_torch/c/shim.h). Returns 0 on success.
extern "C" std::int32_t aoti_torch_get_current_cuda_stream(std::int32_t device, void **stream);

namespace {

CUstream_st *currentStream(int device) {
  void *stream = nullptr;
  TORCH_CHECK(aoti_torch_get_current_cuda_stream(device, &stream) == 0,
              "which stream is current is not known");
  return static_cast<CUstream_st *>(stream);
}

void check(int error, const char *what) { TORCH_CHECK(error == 0, what, ": CUDA error ", error); }

void forward(const at::Tensor &x, int layers) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == at::kFloat,
              "x must be a contiguous float tensor on a CUDA device");
  check(layersForward(x.data_ptr<float>(), static_cast<long>(x.numel()), layers,
                      currentStream(x.get_device())),
        "forward");
}

// The extension's own exec of a graph that torch.cuda.CUDAGraph(keep_graph=True) has captured.
class Replays {
public:
  explicit Replays(std::uintptr_t rawGraph) {
    check(layersInstantiate(reinterpret_cast<CUgraph_st *>(rawGraph), &exec_), "instantiate");
  }
  ~Replays() { layersDestroy(exec_); }
  Replays(const Replays &) = delete;
  Replays &operator=(const Replays &) = delete;

  void replay() { check(layersReplay(exec_, currentStream(-1)), "replay"); }

private:
  CUgraphExec_st *exec_ = nullptr;
};

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("forward", &forward, "adds 1 and takes relu, `layers` times, in place");
  pybind11::class_<Replays>(module, "Replays")
      .def(pybind11::init<std::uintptr_t>())
      .def("replay", &Replays::replay);
}
