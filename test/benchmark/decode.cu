// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A realistic workload: one decode step of a transformer with 32 layers of 8 regions and 11
// kernels. The shapes are those of a 7B model in fp16 (hidden size 4096, 32 heads of 128, 11008
// inner units), for one of two tensor-parallel ranks: half the heads and half the inner units,
// without communication. The weights are random. Kernels take 1 to 15 us on an H200.

#include "check.h"
#include "cublas.h"
#include "workload.h"

#include <array>
#include <cstdint>
#include <vector>

namespace benchmark {
namespace {

constexpr int layers = 32;
constexpr int hidden = 4096;
constexpr int heads = 16;
constexpr int headDim = 128;
constexpr int attentionDim = heads * headDim;
constexpr int inner = 5504;
constexpr int positions = 1024;              // tokens in the cache, with the new one
constexpr int positionsPerBlock = 64;        // for the first attention kernel
constexpr int attentionWarps = headDim / 32; // in one of its blocks: a thread for each dimension
constexpr int splits = positions / positionsPerBlock;

// The regions of a layer.
constexpr std::array kindNames = {"attention norm", "qkv",      "rope",        "attention",
                                  "output",         "mlp norm", "gate and up", "down"};
constexpr int kinds = static_cast<int>(kindNames.size());

__global__ void fillRandom(__half *data, std::size_t count, float scale, std::uint32_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    auto x = static_cast<std::uint32_t>(i) * 2654435761u + seed;
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    x ^= x >> 16;
    data[i] = __float2half(scale * (static_cast<float>(x) * 0x1p-31f - 1));
  }
}

/// The block-wide sum of `value`, returned to every thread.
__device__ float blockSum(float value) {
  __shared__ float partial[32];
  for (int offset = 16; offset; offset /= 2)
    value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp)
    value += partial[warp];
  return value;
}

/// out = in / rms(in). If `kept` is given, also copies `in` to it, which begins the residual
/// stream.
__global__ void rmsNorm(const __half *in, __half *kept, __half *out) {
  constexpr int perThread = hidden / 1024;
  float values[perThread];
  float squares = 0;
  for (int i = 0; i < perThread; ++i) {
    values[i] = __half2float(in[threadIdx.x + i * 1024]);
    squares += values[i] * values[i];
  }
  const float scale = rsqrtf(blockSum(squares) / hidden + 1e-5f);
  for (int i = 0; i < perThread; ++i) {
    out[threadIdx.x + i * 1024] = __float2half(values[i] * scale);
    if (kept)
      kept[threadIdx.x + i * 1024] = __float2half(values[i]);
  }
}

/// Rotates each head's query and key by the new token's position, and appends key and value to the
/// cache. One block for each head, with half as many threads as a head has dimensions.
__global__ void ropeAndAppend(__half *qkv, __half *keys, __half *values) {
  const int head = blockIdx.x, i = threadIdx.x;
  const float angle = (positions - 1) * powf(10000, -2.f * i / headDim);
  const float c = cosf(angle), s = sinf(angle);
  __half *query = qkv + head * headDim, *key = query + attentionDim, *value = key + attentionDim;
  const std::size_t row = (static_cast<std::size_t>(head) * positions + positions - 1) * headDim;
  const float q0 = __half2float(query[i]), q1 = __half2float(query[i + headDim / 2]);
  query[i] = __float2half(q0 * c - q1 * s);
  query[i + headDim / 2] = __float2half(q1 * c + q0 * s);
  const float k0 = __half2float(key[i]), k1 = __half2float(key[i + headDim / 2]);
  keys[row + i] = __float2half(k0 * c - k1 * s);
  keys[row + i + headDim / 2] = __float2half(k1 * c + k0 * s);
  values[row + i] = value[i];
  values[row + i + headDim / 2] = value[i + headDim / 2];
}

/// Elements 4 i to 4 i + 3.
__device__ float4 loadFour(const __half *data, int i) {
  const __half2 *pairs = reinterpret_cast<const __half2 *>(data) + 2 * i;
  const float2 low = __half22float2(pairs[0]), high = __half22float2(pairs[1]);
  return {low.x, low.y, high.x, high.y};
}

/// Attention of one head over one part of the positions: the unnormalised sum of values, and the
/// maximum and sum of the weights. One block for each head and part. The warps share the positions,
/// and each lane has four dimensions.
__global__ void attendPart(const __half *query, const __half *keys, const __half *values,
                           float *sums, float2 *weights) {
  constexpr int perWarp = positionsPerBlock / attentionWarps;
  const int head = blockIdx.x, part = blockIdx.y;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t first =
      static_cast<std::size_t>(head) * positions + part * positionsPerBlock + warp * perWarp;
  const float4 q = loadFour(query + head * headDim, lane);

  float scores[perWarp];
  float largest = -1e30f;
#pragma unroll
  for (int p = 0; p < perWarp; ++p) {
    const float4 k = loadFour(keys + (first + p) * headDim, lane);
    float dot = q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
    for (int offset = 16; offset; offset /= 2)
      dot += __shfl_xor_sync(~0u, dot, offset);
    scores[p] = dot * rsqrtf(headDim);
    largest = fmaxf(largest, scores[p]);
  }
  float weight = 0;
  float4 sum{};
#pragma unroll
  for (int p = 0; p < perWarp; ++p) {
    const float e = __expf(scores[p] - largest);
    const float4 v = loadFour(values + (first + p) * headDim, lane);
    weight += e;
    sum = {sum.x + e * v.x, sum.y + e * v.y, sum.z + e * v.z, sum.w + e * v.w};
  }

  __shared__ float warpSums[attentionWarps][headDim];
  __shared__ float2 warpWeights[attentionWarps];
  reinterpret_cast<float4 *>(warpSums[warp])[lane] = sum;
  if (lane == 0)
    warpWeights[warp] = {largest, weight};
  __syncthreads();
  for (int w = 0; w < attentionWarps; ++w)
    largest = fmaxf(largest, warpWeights[w].x);
  float merged = 0;
  weight = 0;
  for (int w = 0; w < attentionWarps; ++w) {
    const float scale = __expf(warpWeights[w].x - largest);
    weight += scale * warpWeights[w].y;
    merged += scale * warpSums[w][threadIdx.x];
  }
  const int row = head * splits + part;
  sums[row * headDim + threadIdx.x] = merged;
  if (threadIdx.x == 0)
    weights[row] = {largest, weight};
}

/// Combines the parts of each head. One block of headDim threads for each head.
__global__ void attendCombine(const float *sums, const float2 *weights, __half *out) {
  const int head = blockIdx.x;
  float largest = -1e30f, sum = 0, weight = 0;
#pragma unroll
  for (int part = 0; part < splits; ++part)
    largest = fmaxf(largest, weights[head * splits + part].x);
#pragma unroll
  for (int part = 0; part < splits; ++part) {
    const float2 w = weights[head * splits + part];
    const float scale = __expf(w.x - largest);
    weight += scale * w.y;
    sum += scale * sums[(head * splits + part) * headDim + threadIdx.x];
  }
  out[head * headDim + threadIdx.x] = __float2half(sum / weight);
}

/// out = silu(gate) * up.
__global__ void siluTimes(const __half *gate, const __half *up, __half *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= inner)
    return;
  const float g = __half2float(gate[i]);
  out[i] = __float2half(g / (1 + __expf(-g)) * __half2float(up[i]));
}

DeviceArray<__half> randomHalfs(std::size_t count, float scale, std::uint32_t seed) {
  DeviceArray<__half> data(count);
  fillRandom<<<1024, 256>>>(data.get(), count, scale, seed);
  CHECK(cudaGetLastError());
  return data;
}

struct Layer {
  DeviceArray<__half> qkv, output, gate, up, down, keys, values;

  explicit Layer(std::uint32_t seed)
      : qkv(randomHalfs(3ul * attentionDim * hidden, 0.02f, seed + 1)),
        output(randomHalfs(1ul * hidden * attentionDim, 0.02f, seed + 2)),
        gate(randomHalfs(1ul * inner * hidden, 0.02f, seed + 3)),
        up(randomHalfs(1ul * inner * hidden, 0.02f, seed + 4)),
        down(randomHalfs(1ul * hidden * inner, 0.02f, seed + 5)),
        keys(randomHalfs(1ul * heads * positions * headDim, 1, seed + 6)),
        values(randomHalfs(1ul * heads * positions * headDim, 1, seed + 7)) {}
};

class DecodeStep : public Workload {
public:
  DecodeStep() {
    for (int i = 0; i < layers; ++i)
      layers_.emplace_back(1000 * (i + 1));
    CHECK(cudaDeviceSynchronize());
  }

  std::string name() const override { return "decode step"; }
  int regions() const override { return layers * kinds; }
  std::string regionName(int index) const override {
    return "layer " + std::to_string(index / kinds) + " " + kindNames[index % kinds];
  }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    for (int i = 0; i < layers; ++i)
      issueLayer(stream, visitor, i);
  }

private:
  void issueLayer(cudaStream_t stream, RegionVisitor &visitor, int index) const {
    const Layer &layer = layers_[index];
    const int first = index * kinds;
    const bool isFirst = index == 0;

    visitor.region(first, [&] {
      rmsNorm<<<1, 1024, 0, stream>>>(isFirst ? token_.get() : x_.get(),
                                      isFirst ? x_.get() : nullptr, normed_.get());
    });
    visitor.region(first + 1, [&] {
      cublas_.gemv(stream, 3 * attentionDim, hidden, layer.qkv.get(), normed_.get(), 0, qkv_.get());
    });
    visitor.region(first + 2, [&] {
      ropeAndAppend<<<heads, headDim / 2, 0, stream>>>(qkv_.get(), layer.keys.get(),
                                                       layer.values.get());
    });
    visitor.region(first + 3, [&] {
      attendPart<<<dim3(heads, splits), 32 * attentionWarps, 0, stream>>>(
          qkv_.get(), layer.keys.get(), layer.values.get(), sums_.get(), weights_.get());
      attendCombine<<<heads, headDim, 0, stream>>>(sums_.get(), weights_.get(), attended_.get());
    });
    visitor.region(first + 4, [&] {
      cublas_.gemv(stream, hidden, attentionDim, layer.output.get(), attended_.get(), 1, x_.get());
    });
    visitor.region(first + 5,
                   [&] { rmsNorm<<<1, 1024, 0, stream>>>(x_.get(), nullptr, normed_.get()); });
    visitor.region(first + 6, [&] {
      cublas_.gemv(stream, inner, hidden, layer.gate.get(), normed_.get(), 0, gate_.get());
      cublas_.gemv(stream, inner, hidden, layer.up.get(), normed_.get(), 0, up_.get());
    });
    visitor.region(first + 7, [&] {
      siluTimes<<<(inner + 255) / 256, 256, 0, stream>>>(gate_.get(), up_.get(), gated_.get());
      cublas_.gemv(stream, hidden, inner, layer.down.get(), gated_.get(), 1, x_.get());
    });
    CHECK(cudaGetLastError());
  }

  Cublas cublas_;
  std::vector<Layer> layers_;
  DeviceArray<__half> token_ = randomHalfs(hidden, 1, 1);
  DeviceArray<__half> x_{hidden}, normed_{hidden}, qkv_{3 * attentionDim}, attended_{attentionDim};
  DeviceArray<__half> gate_{inner}, up_{inner}, gated_{inner};
  DeviceArray<float> sums_{heads * splits * headDim};
  DeviceArray<float2> weights_{heads * splits};
};

} // namespace

std::unique_ptr<Workload> makeDecodeStep() { return std::make_unique<DecodeStep>(); }

} // namespace benchmark
