// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A context value: what a region carries from its annotation into every record. Needs no CUDA and
// no fmt.

#ifndef GRAPHPROF_VALUE_H
#define GRAPHPROF_VALUE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "graphprof/detail/export.h"
#include "graphprof/value_ref.h"

namespace graphprof {
inline namespace v1 {

namespace detail {
/// Makes `copy` a copy of `text`. If there is no memory for it, `copy` is empty, and that counts as
/// a shortened name: a region's value must not end its program.
GRAPHPROF_API void copyText(std::string &copy, std::string_view text) noexcept;

/// What only converts to a text.
template <class T>
struct TextIn<
    T, std::enable_if_t<std::is_convertible_v<const T &, std::string_view> && !HasText<T>::value>> {
  static constexpr bool is = true;
  static const char *begin(const T &text) { return static_cast<std::string_view>(text).data(); }
  static std::size_t length(const T &text) { return static_cast<std::string_view>(text).size(); }
};

} // namespace detail

/// One context value of a region: a number, a bool, a character, a text or an address, with a key
/// if the annotation gave one. Texts are copied, so the program may change or free what it passed
/// as soon as the call returns.
///
///     Value(3)                 // [[graphprof::time("layer {}", 3)]]
///     key("batch", batchSize)  // [[graphprof::time("layer {}", 3, batch = batchSize)]]
class Value {
public:
  using Kind = ValueKind;

  template <class T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, Value> &&
                                          !std::is_same_v<std::decay_t<T>, ValueRef>,
                                      int> = 0>
  Value(const T &value) // NOLINT(google-explicit-constructor): a value is what was passed
      : Value(ValueRef(value)) {}

  Value(const ValueRef &given) noexcept { // NOLINT(google-explicit-constructor): it is the same
    if (given.whole_) {
      *this = *given.whole_;
    } else {
      kind_ = given.kind_;
      bits_ = given.bits_;
      if (kind_ == Kind::Text) {
        detail::copyText(text_, {static_cast<const char *>(bits_.p), given.length_});
        bits_ = {};
      }
    }
    if (given.key_)
      key_ = given.key_;
  }

  Value(const Value &other) noexcept : kind_(other.kind_), key_(other.key_), bits_(other.bits_) {
    detail::copyText(text_, other.text_);
  }
  Value(Value &&) noexcept = default;
  Value &operator=(const Value &other) noexcept { return *this = Value(other); }
  Value &operator=(Value &&) noexcept = default;
  ~Value() = default;

  [[nodiscard]] Kind kind() const { return kind_; }
  /// The key given in the annotation (`key = value`), or empty for a positional value.
  [[nodiscard]] std::string_view key() const { return key_; }

  [[nodiscard]] std::int64_t as_signed() const { return bits_.i; }
  [[nodiscard]] std::uint64_t as_unsigned() const { return bits_.u; }
  /// For a float, the number that it is written as: 0.1 for 0.1F. It converts back to the float.
  [[nodiscard]] double as_real() const { return bits_.d; }
  [[nodiscard]] bool as_boolean() const { return bits_.u != 0; }
  [[nodiscard]] char as_character() const { return static_cast<char>(bits_.i); }
  [[nodiscard]] const std::string &as_text() const { return text_; }
  [[nodiscard]] const void *as_address() const { return bits_.p; }

  /// The value with a key. The key must outlive its use, as a string literal does.
  [[nodiscard]] Value with_key(const char *key) && {
    key_ = key;
    return std::move(*this);
  }

private:
  Kind kind_ = Kind::Signed;
  const char *key_ = "";
  ValueRef::Bits bits_{};
  std::string text_;
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_VALUE_H
