// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Chains of 800 kernels as programs have them: of one size or of many, with large parameters, that
// compute or that copy memory. What a stamp costs depends on that.

#include "check.h"
#include "workload.h"

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace benchmark {
namespace {

constexpr int kernels = 800;
constexpr std::size_t bytes = 64 << 20; // of the memory that is copied

struct LargeParameters {
  char bytes[600];
};

__global__ void compute(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void computeWithParameters(long long cycles, LargeParameters parameters,
                                      unsigned *never) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (parameters.bytes[threadIdx.x] == 77) // none is
    *never = 1;
}

__global__ void addToEach(float4 *x, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float4 v = x[i];
    v.x += 1;
    x[i] = v;
  }
}

struct Kernel {
  enum Kind { Computes, HasParameters, Copies } kind;
  int blocks, threads;
  long long cycles; // of those that compute
  int first, count; // of the float4s that are copied
};

Kernel computing(int blocks, int threads, long long cycles) {
  return {Kernel::Computes, blocks, threads, cycles, 0, 0};
}

Kernel copying(int first, int count, int threads) {
  return {Kernel::Copies, (count + threads - 1) / threads, threads, 0, first, count};
}

// The same sequence on every machine: the engine's numbers are fixed by the standard.
std::vector<Kernel> ofManySizes(Kernel::Kind kind) {
  constexpr int blocks[] = {4, 16, 32, 132, 264, 1056}, threads[] = {128, 256, 512};
  std::mt19937 random(7);
  std::vector<Kernel> chain;
  for (int i = 0; i < kernels; ++i) {
    if (kind == Kernel::Copies) {
      const int count = 1024 << random() % 9;
      chain.push_back(copying(static_cast<int>(random() % 16) * 65536, count, 128));
    } else {
      Kernel kernel = computing(blocks[random() % 6], threads[random() % 3],
                                1500 + static_cast<long long>(random() % 3000));
      kernel.kind = kind;
      chain.push_back(kernel);
    }
  }
  return chain;
}

class Mix : public Workload {
public:
  Mix(std::string name, std::vector<Kernel> chain, bool every)
      : name_(std::move(name)), chain_(std::move(chain)), every_(every) {
    CHECK(cudaMalloc(&memory_, bytes));
    CHECK(cudaMemset(memory_, 0, bytes));
  }
  ~Mix() override { cudaFree(memory_); }

  std::string name() const override { return name_ + (every_ ? ", every kernel" : ", one region"); }
  int regions() const override { return every_ ? static_cast<int>(chain_.size()) : 1; }
  std::string regionName(int index) const override {
    return every_ ? "kernel " + std::to_string(index) : "all";
  }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    if (!every_) {
      visitor.region(0, [&] {
        for (const Kernel &kernel : chain_)
          launch(kernel, stream);
      });
      return;
    }
    for (std::size_t i = 0; i < chain_.size(); ++i)
      visitor.region(static_cast<int>(i), [&] { launch(chain_[i], stream); });
  }

private:
  void launch(const Kernel &kernel, cudaStream_t stream) const {
    switch (kernel.kind) {
    case Kernel::Computes:
      compute<<<kernel.blocks, kernel.threads, 0, stream>>>(kernel.cycles);
      break;
    case Kernel::HasParameters:
      computeWithParameters<<<kernel.blocks, kernel.threads, 0, stream>>>(
          kernel.cycles, LargeParameters{}, static_cast<unsigned *>(memory_));
      break;
    case Kernel::Copies:
      addToEach<<<kernel.blocks, kernel.threads, 0, stream>>>(
          static_cast<float4 *>(memory_) + kernel.first, kernel.count);
      break;
    }
  }

  std::string name_;
  std::vector<Kernel> chain_;
  bool every_;
  void *memory_ = nullptr; // owned
};

} // namespace

std::vector<std::unique_ptr<Workload>> makeMixes() {
  const auto equal = [](const Kernel &kernel) { return std::vector<Kernel>(kernels, kernel); };
  const struct {
    const char *name;
    std::vector<Kernel> chain;
  } mixes[] = {{"equal, 66 blocks", equal(computing(66, 256, 3000))},
               {"many sizes", ofManySizes(Kernel::Computes)},
               {"many sizes, 600 B of parameters", ofManySizes(Kernel::HasParameters)},
               {"copies of 4 MB", equal(copying(0, 1 << 18, 256))},
               {"copies of many sizes", ofManySizes(Kernel::Copies)},
               {"one block", equal(computing(1, 128, 2500))},
               {"1056 blocks", equal(computing(1056, 128, 2500))}};
  std::vector<std::unique_ptr<Workload>> made;
  for (const auto &mix : mixes)
    for (const bool every : {false, true})
      made.push_back(std::make_unique<Mix>(mix.name, mix.chain, every));
  return made;
}

} // namespace benchmark
