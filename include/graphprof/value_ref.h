// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A context value on its way into a region: what an annotation gives it. Every unit that
// graphprof-instrument changes includes this, so it includes nothing that takes a compiler time;
// the value that a region keeps, with a text of its own, is in graphprof/value.h.

#ifndef GRAPHPROF_VALUE_REF_H
#define GRAPHPROF_VALUE_REF_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

class Value;

enum class ValueKind : std::uint8_t { Signed, Unsigned, Real, Boolean, Character, Text, Address };

namespace detail {

/// The number that `value` is written as: 0.1 for 0.1F, not 0.10000000149.
GRAPHPROF_API double asWritten(float value) noexcept;

/// Whether a class has the characters and the length of a text.
template <class T, class = void> struct HasText : std::false_type {};
template <class T>
struct HasText<T, std::void_t<decltype(static_cast<const T *>(nullptr)->data()),
                              decltype(static_cast<const T *>(nullptr)->size())>>
    : std::bool_constant<
          std::is_convertible_v<decltype(static_cast<const T *>(nullptr)->data()), const char *> &&
          std::is_convertible_v<decltype(static_cast<const T *>(nullptr)->size()), std::size_t>> {};

/// Where the text of an object is. graphprof/value.h adds what only converts to std::string_view.
template <class T, class = void> struct TextIn {
  static constexpr bool is = false;
};
template <class T> struct TextIn<T, std::enable_if_t<HasText<T>::value>> {
  static constexpr bool is = true;
  static const char *begin(const T &text) { return text.data(); }
  static std::size_t length(const T &text) { return text.size(); }
};

} // namespace detail

/// A number, a bool, a character, a text or an address, with a key if the annotation gave one. It
/// refers to a text, which must live until the call that takes it returns: make it where it is
/// passed. Each converts to a Value, which copies the text.
///
///     graphprof::Scope scope(site, graphprof::StreamRef(stream), layer, graphprof::key("batch",
///     b));
class ValueRef {
public:
  template <class T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, ValueRef>, int> = 0>
  ValueRef(
      const T &value) noexcept { // NOLINT(google-explicit-constructor): a value is what was passed
    using Plain = std::decay_t<T>;
    if constexpr (std::is_same_v<Plain, Value>) {
      whole_ = &value;
    } else if constexpr (std::is_same_v<Plain, bool>) {
      kind_ = ValueKind::Boolean;
      bits_.u = value ? 1 : 0;
    } else if constexpr (std::is_same_v<Plain, char>) {
      kind_ = ValueKind::Character;
      bits_.i = static_cast<unsigned char>(value);
    } else if constexpr (std::is_enum_v<Plain>) {
      *this = ValueRef(static_cast<std::underlying_type_t<Plain>>(value));
    } else if constexpr (std::is_integral_v<Plain> && std::is_signed_v<Plain>) {
      kind_ = ValueKind::Signed;
      bits_.i = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_integral_v<Plain>) {
      kind_ = ValueKind::Unsigned;
      bits_.u = static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_same_v<Plain, const char *> || std::is_same_v<Plain, char *>) {
      kind_ = ValueKind::Text;
      const char *const text = value;
      bits_.p = text ? text : "(null)";
      while (static_cast<const char *>(bits_.p)[length_])
        ++length_;
    } else if constexpr (detail::TextIn<Plain>::is) {
      kind_ = ValueKind::Text;
      bits_.p = detail::TextIn<Plain>::begin(value);
      length_ = detail::TextIn<Plain>::length(value);
    } else if constexpr (std::is_pointer_v<Plain>) {
      kind_ = ValueKind::Address;
      bits_.p = static_cast<const void *>(value);
    } else if constexpr (std::is_same_v<Plain, float>) {
      kind_ = ValueKind::Real;
      bits_.d = detail::asWritten(value);
    } else if constexpr (std::is_convertible_v<const T &, double>) {
      // floating-point numbers, half-precision ones included
      kind_ = ValueKind::Real;
      bits_.d = static_cast<double>(value);
    } else {
      static_assert(
          std::is_arithmetic_v<Plain>,
          "graphprof: a context value must be a number, bool, char, enum, text or pointer; pass a "
          "member or convert it (a class that converts to std::string_view is a text where "
          "graphprof/value.h is included first)");
    }
  }

  /// The same with a key. The key must outlive its use, as a string literal does.
  [[nodiscard]] ValueRef with_key(const char *key) const {
    ValueRef keyed = *this;
    keyed.key_ = key;
    return keyed;
  }

private:
  friend class Value;

  union Bits {
    std::int64_t i;
    std::uint64_t u;
    double d;
    const void *p;
  } bits_{};
  std::size_t length_ = 0;       // of the text at bits_.p
  const char *key_ = nullptr;    // that of `whole_` if there is none here
  const Value *whole_ = nullptr; // it stands for this one
  ValueKind kind_ = ValueKind::Signed;
};

/// A value with a key, as `batch = b` in `[[graphprof::time("mlp {}", layer, batch = b)]]`.
template <class T> [[nodiscard]] ValueRef key(const char *name, const T &value) {
  return ValueRef(value).with_key(name);
}

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_VALUE_REF_H
