// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements PyTorch's ProfilerStubs with a backend of graphprof's when this library is loaded into
// a process with PyTorch. torch.autograd.profiler.profile(use_device="cuda", use_kineto=False) and
// emit_nvtx use the stubs. This file uses only PyTorch's and graphprof's interfaces, so it needs no
// CUDA toolkit.

#include <graphprof/backend.h>
#include <graphprof/graphprof.h>

#include <torch/csrc/profiler/stubs/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// PyTorch's stable C interface (torch/csrc/inductor/aoti_torch/c/shim.h). Returns 0 on success.
// Device -1 is the current one.
extern "C" std::int32_t aoti_torch_get_current_cuda_stream(std::int32_t device, void **stream);

namespace {

using torch::profiler::impl::ProfilerStubs;
using torch::profiler::impl::ProfilerVoidEventStub;

void *currentStream() {
  void *stream = nullptr;
  if (aoti_torch_get_current_cuda_stream(-1, &stream) != 0)
    throw std::runtime_error("graphprof: PyTorch does not say which CUDA stream is current");
  return stream;
}

// emit_nvtx appends text that differs at each call (", seq = 3, op_id = 7, sizes = ..."). The
// region gets the name alone.
std::string_view nameOf(const char *text) {
  const std::string_view all(text ? text : "");
  std::size_t end = all.size();
  for (const std::string_view part : {", seq = ", ", op_id = ", ", sizes = "})
    end = std::min(end, all.find(part));
  return all.substr(0, end);
}

// The open regions of emit_nvtx on this thread, innermost last.
std::vector<std::unique_ptr<graphprof::Scope>> &openRanges() {
  thread_local std::vector<std::unique_ptr<graphprof::Scope>> ranges;
  return ranges;
}

class Stubs final : public ProfilerStubs {
public:
  Stubs(const graphprof_backend &backend, const ProfilerStubs *before)
      : backend_(backend), before_(before && before->enabled() ? before : nullptr) {}

  // PyTorch reports exceptions as warnings and leaves the time out.
  void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
              std::int64_t *cpuNs) const override {
    int ordinal = -1;
    graphprof_event recorded = nullptr;
    check(backend_.record(static_cast<graphprof_stream>(currentStream()), &ordinal, &recorded,
                          cpuNs));
    if (device)
      *device = static_cast<c10::DeviceIndex>(ordinal);
    const auto release = backend_.release;
    *event = ProfilerVoidEventStub(
        recorded, [release](void *last) { release(static_cast<graphprof_event>(last)); });
  }

  float elapsed(const ProfilerVoidEventStub *begin,
                const ProfilerVoidEventStub *end) const override {
    float us = 0;
    check(backend_.elapsed(static_cast<graphprof_event>(begin->get()),
                           static_cast<graphprof_event>(end->get()), &us));
    return us;
  }

  void mark(const char *name) const override {
    graphprof::mark(name);
    if (before_)
      before_->mark(name); // NVTX
  }

  void rangePush(const char *name) const override {
    static const graphprof::Site site{"{}", __FILE__, __LINE__, "emit_nvtx"};
    openRanges().push_back(std::make_unique<graphprof::Scope>(
        site, graphprof::StreamRef(static_cast<CUstream_st *>(currentStream())),
        std::string(nameOf(name))));
    if (before_)
      before_->rangePush(name);
  }

  void rangePop() const override {
    if (before_)
      before_->rangePop();
    if (!openRanges().empty())
      openRanges().pop_back();
  }

  bool enabled() const override { return backend_.enabled && backend_.enabled(); }

  void onEachDevice(std::function<void(int)> op) const override {
    check(backend_.on_each_device(
        [](int device, void *work) { (*static_cast<std::function<void(int)> *>(work))(device); },
        &op));
  }

  void synchronize() const override { check(backend_.synchronize()); }

private:
  void check(graphprof_backend_status status) const {
    if (status != graphprof_backend_ok)
      throw std::runtime_error(std::string("graphprof, backend ") + backend_.name + ": " +
                               backend_.why());
  }

  const graphprof_backend &backend_;
  const ProfilerStubs *const before_; // PyTorch's own, for NVTX
};

} // namespace

/// Switches PyTorch's profiler to graphprof (1, the initial state) or back to PyTorch's own stubs
/// (0).
extern "C" void graphprof_torch_stubs(int ours) {
  static const ProfilerStubs *const before = torch::profiler::impl::cudaStubs();
  static Stubs *const stubs =
      new Stubs(*graphprof_backend_chosen(), before); // used until the end of the process
  torch::profiler::impl::registerCUDAMethods(ours ? stubs : const_cast<ProfilerStubs *>(before));
}

namespace {
[[maybe_unused]] const bool registered = (graphprof_torch_stubs(1), true);
} // namespace
