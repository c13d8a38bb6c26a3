// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many floating-point operations common computations take, from their shapes: what a region
// says with `flops =`. The formulas are torch.profiler's (with_flops; computeFlops() in PyTorch's
// torch/csrc/profiler/util.cpp), so that rows of both can be compared.
//
//     [[graphprof::time("gemm", flops = graphprof::flops::mm(m, n, k))]]
//     cublasSgemm(handle, ...);

#ifndef GRAPHPROF_FLOPS_H
#define GRAPHPROF_FLOPS_H

#include <cstdint>

namespace graphprof {
inline namespace v1 {
namespace flops {

namespace detail {

/// 0 if a factor is not positive; the largest number if the product does not fit.
template <class... Factors> constexpr std::int64_t product(Factors... factors) noexcept {
  constexpr std::int64_t most = INT64_MAX;
  const std::int64_t all[] = {static_cast<std::int64_t>(factors)...};
  for (const std::int64_t factor : all)
    if (factor <= 0)
      return 0;
  std::int64_t result = 1;
  for (const std::int64_t factor : all)
    result = result > most / factor ? most : result * factor;
  return result;
}

} // namespace detail

// Shapes are numbers of elements. All functions return operations; a multiply-add is two. They
// return 0 for a shape that is empty or negative.

/// A matrix product: (m x k) times (k x n). PyTorch's aten::mm.
constexpr std::int64_t mm(std::int64_t m, std::int64_t n, std::int64_t k) noexcept {
  return detail::product(2, m, n, k);
}
/// The same, added to an (m x n) matrix. As PyTorch's aten::addmm, which does not count the
/// addition.
constexpr std::int64_t addmm(std::int64_t m, std::int64_t n, std::int64_t k) noexcept {
  return mm(m, n, k);
}
/// `batch` matrix products, each (m x k) times (k x n). PyTorch's aten::bmm.
constexpr std::int64_t bmm(std::int64_t batch, std::int64_t m, std::int64_t n,
                           std::int64_t k) noexcept {
  return detail::product(2, batch, m, n, k);
}
/// The same, added to `batch` (m x n) matrices; the addition is not counted. PyTorch's
/// aten::baddbmm.
constexpr std::int64_t baddbmm(std::int64_t batch, std::int64_t m, std::int64_t n,
                               std::int64_t k) noexcept {
  return bmm(batch, m, n, k);
}

/// A product or a sum of two tensors, element by element: of each element one operation. `sizes`
/// are those of the first tensor, in any order: add(8, 4096). PyTorch's aten::mul and aten::add.
template <class... Sizes> constexpr std::int64_t mul(Sizes... sizes) noexcept {
  return detail::product(sizes...);
}
template <class... Sizes> constexpr std::int64_t add(Sizes... sizes) noexcept {
  return detail::product(sizes...);
}

/// Of the two directions of an image.
struct HeightWidth {
  std::int64_t height, width;
};

/// What conv2d() takes: sizes as the tensors have them, steps as PyTorch's conv2d has them.
struct Conv2d {
  std::int64_t batch, in_channels, in_height, in_width;   ///< of the input, NCHW
  std::int64_t out_channels, kernel_height, kernel_width; ///< of the weights
  HeightWidth stride = {1, 1};
  HeightWidth padding = {0, 0}; ///< on each side
  HeightWidth dilation = {1, 1};
  std::int64_t groups = 1;
};

namespace detail {

/// How many places a kernel has along one direction; 0: it does not fit, or the numbers are wrong.
constexpr std::int64_t places(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                              std::int64_t padding, std::int64_t dilation) noexcept {
  if (size <= 0 || kernel <= 0 || stride <= 0 || padding < 0 || dilation <= 0)
    return 0;
  const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

} // namespace detail

/// A convolution of images. PyTorch's aten::conv2d.
///
///     graphprof::flops::conv2d({8, 64, 56, 56, 128, 3, 3, {2, 2}, {1, 1}})
constexpr std::int64_t conv2d(const Conv2d &shape) noexcept {
  if (shape.groups <= 0)
    return 0;
  return detail::product(2, shape.batch,
                         detail::places(shape.in_height, shape.kernel_height, shape.stride.height,
                                        shape.padding.height, shape.dilation.height),
                         detail::places(shape.in_width, shape.kernel_width, shape.stride.width,
                                        shape.padding.width, shape.dilation.width),
                         shape.kernel_height, shape.kernel_width, shape.in_channels,
                         shape.out_channels) /
         shape.groups;
}

} // namespace flops
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_FLOPS_H
