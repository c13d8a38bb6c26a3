// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Device memory with its extent, as an argument of a benchmark. bench() can make copies of it.
// Includes no CUDA header.

#ifndef GRAPHPROF_DEVICE_SPAN_H
#define GRAPHPROF_DEVICE_SPAN_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace graphprof {
inline namespace v1 {

/// A pointer to device memory that knows how much there is: elements in up to eight dimensions,
/// each with a stride. Does not own the memory. Converts to the pointer, so a function that takes
/// `T *` takes it.
///
///     // 4096 elements side by side
///     graphprof::DeviceSpan<float> x(pointer, 4096);
///     // 64 rows of 1000 elements, 1024 elements apart
///     graphprof::DeviceSpan<float> rows(pointer, {64, 1000}, {1024, 1});
template <class T> class DeviceSpan {
public:
  static constexpr std::size_t max_dimensions = 8;

  constexpr DeviceSpan() noexcept = default;
  /// `count` elements, one behind the other.
  constexpr DeviceSpan(T *data, std::size_t count) noexcept
      : data_(data), dimensions_(1), sizes_{count}, strides_{1} {}
  /// `sizes[i]` elements along dimension i, `strides[i]` elements apart; a stride may be 0 or
  /// negative, `data` is the element with all indices 0. Both have as many entries, at most eight.
  template <std::size_t Dimensions>
  constexpr DeviceSpan(T *data, const std::size_t (&sizes)[Dimensions],
                       const std::ptrdiff_t (&strides)[Dimensions]) noexcept
      : data_(data), dimensions_(Dimensions) {
    static_assert(Dimensions <= max_dimensions, "graphprof::DeviceSpan has up to eight dimensions");
    for (std::size_t i = 0; i < Dimensions; ++i) {
      sizes_[i] = sizes[i];
      strides_[i] = strides[i];
    }
  }

  [[nodiscard]] constexpr T *data() const noexcept { return data_; }
  constexpr operator T *() const noexcept { return data_; } // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return dimensions_; }
  /// In elements; of a dimension below dimensions().
  [[nodiscard]] constexpr std::size_t size(std::size_t dimension) const noexcept {
    return sizes_[dimension];
  }
  [[nodiscard]] constexpr std::ptrdiff_t stride(std::size_t dimension) const noexcept {
    return strides_[dimension];
  }
  /// The number of elements.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    std::size_t count = dimensions_ == 0 ? 0 : 1;
    for (std::size_t i = 0; i < dimensions_; ++i)
      count *= sizes_[i];
    return count;
  }

  /// The same span of other memory.
  [[nodiscard]] constexpr DeviceSpan at(T *data) const noexcept {
    DeviceSpan moved = *this;
    moved.data_ = data;
    return moved;
  }
  /// Its lowest byte, and how many bytes there are from it to the highest.
  [[nodiscard]] const void *lowest() const noexcept { return data_ + ends().lowest; }
  [[nodiscard]] std::size_t extent_bytes() const noexcept {
    return size() == 0 ? 0
                       : static_cast<std::size_t>(ends().highest - ends().lowest + 1) * sizeof(T);
  }

private:
  struct Ends {
    std::ptrdiff_t lowest = 0, highest = 0; // elements from data_
  };
  [[nodiscard]] constexpr Ends ends() const noexcept {
    Ends ends;
    for (std::size_t i = 0; i < dimensions_ && size() != 0; ++i) {
      const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(sizes_[i] - 1) * strides_[i];
      (last < 0 ? ends.lowest : ends.highest) += last;
    }
    return ends;
  }

  T *data_ = nullptr;
  std::size_t dimensions_ = 0;
  std::array<std::size_t, max_dimensions> sizes_{};
  std::array<std::ptrdiff_t, max_dimensions> strides_{};
};

/// Pieces of device memory that arguments consist of. Overlapping pieces become one, so that shared
/// memory stays shared in every copy.
class device_ranges;
/// Where a copy of those pieces is.
class device_moves;

/// What bench() knows about an argument's type. Specialise it for your own types that hold device
/// memory: `ranges` names each piece, `moved` returns the same value with its pointers moved.
///
///     template <> struct graphprof::bench_argument<Tensor> {
///       static void ranges(const Tensor &t, device_ranges &all) { all.add(t.data, t.bytes); }
///       static Tensor moved(Tensor t, const device_moves &moves) {
///         t.data = moves(t.data);
///         return t;
///       }
///     };
///
/// Arguments of other types are passed on as they are.
template <class T, class = void> struct bench_argument {
  static constexpr bool unknown = true;
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DEVICE_SPAN_H
