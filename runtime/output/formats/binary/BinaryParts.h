// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads the numbers and texts of a message, as in docs/binary-format.md. Does not trust the
// contents, and does not know the messages.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYPARTS_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYPARTS_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace graphprof::binary {

// Adds numbers from a file. Wraps, because they may overflow and signed overflow is undefined.
inline std::int64_t sum(std::int64_t one, std::int64_t other) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) +
                                   static_cast<std::uint64_t>(other));
}

// The year 2116.
inline constexpr std::int64_t latestNs = std::numeric_limits<std::int64_t>::max() / 2;

// The parts of a message, in order. A missing part reads as zero and makes good() false.
class Parts {
public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return number;
    }
    good_ = false;
    return 0;
  }
  std::int64_t difference() {
    const std::uint64_t bits = number();
    return static_cast<std::int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
  }
  std::int64_t fromMinusOne() {
    const auto number = static_cast<std::int64_t>(this->number() - 1);
    good_ = good_ && number >= -1;
    return number;
  }
  // A time after `fromNs`. Times are limited so that the difference of any two fits into the type.
  std::int64_t timeNs(std::int64_t fromNs) {
    const std::int64_t ns = sum(fromNs, difference());
    good_ = good_ && ns > -latestNs && ns < latestNs;
    return ns;
  }
  std::int64_t durationNs() {
    const std::int64_t ns = fromMinusOne();
    good_ = good_ && ns < latestNs;
    return ns;
  }
  // A number that must fit into an int.
  int small(std::int64_t number) {
    if (number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max())
      return static_cast<int>(number);
    good_ = false;
    return 0;
  }
  std::uint32_t count() {
    const std::uint64_t number = this->number();
    good_ = good_ && number <= std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(number);
  }
  // A member of an enumeration whose last member is `last`.
  template <class Enum> Enum one(Enum last) {
    const std::uint64_t which = number();
    if (which <= static_cast<std::uint64_t>(last))
      return static_cast<Enum>(which);
    good_ = false;
    return Enum{};
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

private:
  std::string_view rest_;
  bool good_ = true;
};

} // namespace graphprof::binary

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYPARTS_H
