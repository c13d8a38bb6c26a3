// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes the numbers and texts of a message, as in docs/binary-format.md. Does not know the
// messages.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYMESSAGE_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYMESSAGE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "output/formats/binary/Binary.h"

namespace graphprof::binary {

/// Appends the parts of a message, and its length before them.
class Message {
public:
  Message(std::string &out, Tag tag) : out_(out), begin_(out.size()) {
    out_.append(lengthBytes, '\0');
    out_ += static_cast<char>(tag);
  }
  ~Message() {
    const std::size_t length = out_.size() - begin_ - lengthBytes;
    for (std::size_t i = 0; i < lengthBytes; ++i)
      out_[begin_ + i] = static_cast<char>(length >> (8 * i));
  }
  Message(const Message &) = delete;
  Message &operator=(const Message &) = delete;

  /// Seven bits in a byte, lowest first. The eighth bit says that more follow.
  Message &number(std::uint64_t number) {
    std::array<char, 10> bytes; // NOLINT(*-member-init): written before it is read
    std::size_t size = 0;
    for (; number >= 0x80; number >>= 7)
      bytes[size++] = static_cast<char>(number | 0x80);
    bytes[size++] = static_cast<char>(number);
    out_.append(bytes.data(), size);
    return *this;
  }
  /// Small for numbers near zero, positive or negative.
  Message &difference(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return this->number(bits << 1 ^ (number < 0 ? ~std::uint64_t{0} : 0));
  }
  /// For numbers from -1 on.
  Message &fromMinusOne(std::int64_t number) {
    return this->number(static_cast<std::uint64_t>(number) + 1);
  }
  Message &text(std::string_view text) {
    number(text.size());
    out_ += text;
    return *this;
  }

private:
  static constexpr std::size_t lengthBytes = 4;

  std::string &out_;
  const std::size_t begin_;
};

} // namespace graphprof::binary

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYMESSAGE_H
