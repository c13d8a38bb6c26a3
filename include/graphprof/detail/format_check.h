// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks the name of a region, a {fmt} format string, against the types of its values while the
// program is compiled: "layer {}", "{0} of {1:03}", "{:.{}f}". The macros of graphprof/scope.h do
// so in the compiler, graphprof-instrument with the same functions in the sources. Knows no fmt: an
// instrumented program need not have it.

#ifndef GRAPHPROF_DETAIL_FORMAT_CHECK_H
#define GRAPHPROF_DETAIL_FORMAT_CHECK_H

#include <cstddef>
#include <type_traits>

#include "graphprof/value_ref.h"

namespace graphprof {
inline namespace v1 {
namespace detail {

/// What a value is to a format: Value's kinds, and one that is not known here.
enum class FormatType { Signed, Unsigned, Real, Boolean, Character, Text, Address, Unknown };

enum class FormatFault {
  None,
  UnopenedBrace,  ///< '}' without a '{' before it
  UnclosedBrace,  ///< '{' without a '}' behind it
  ExpectedEnd,    ///< neither '}' nor ':' where one has to stand
  NamedValue,     ///< `{name}`
  MixedNumbering, ///< `{}` and `{0}` in one format
  NoValue,        ///< for a place
  WrongType,      ///< the specification does not fit the value
  NoInteger,      ///< a width or precision is given by a value that is no integer
  NoSpecification ///< what stands behind ':' is none for any type
};

/// What is wrong with a format, and where: the first fault.
struct FormatResult {
  FormatFault fault = FormatFault::None;
  std::size_t at = 0;    ///< byte of the format
  std::size_t value = 0; ///< which one, for WrongType and NoInteger
};

/// A walk through a format. `types` has an entry for each value; `open` says that values of unknown
/// type and number follow. `used`, where it is given, has an entry for each value too.
class FormatCheck {
public:
  constexpr FormatCheck(const char *format, std::size_t size, const FormatType *types,
                        std::size_t count, bool open, bool *used = nullptr)
      : format_(format), size_(size), types_(types), count_(count), open_(open), used_(used) {}

  constexpr FormatResult check() {
    while (at_ < size_ && result_.fault == FormatFault::None) {
      const char current = format_[at_];
      if (current != '{' && current != '}')
        ++at_;
      else if (at_ + 1 < size_ && format_[at_ + 1] == current)
        at_ += 2; // "{{" and "}}" stand for one brace
      else if (current == '}')
        fail(FormatFault::UnopenedBrace, at_);
      else
        field();
    }
    return result_;
  }

private:
  enum class Numbering { Unknown, Automatic, Manual };

  [[nodiscard]] static constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
  [[nodiscard]] static constexpr bool isOneOf(char c, const char *set) {
    for (; *set; ++set)
      if (*set == c)
        return true;
    return false;
  }
  [[nodiscard]] static constexpr bool isWord(char c) {
    return isDigit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  [[nodiscard]] constexpr bool is(char c) const { return at_ < size_ && format_[at_] == c; }
  [[nodiscard]] constexpr bool ok() const { return result_.fault == FormatFault::None; }
  constexpr bool take(char c) {
    if (!is(c))
      return false;
    ++at_;
    return true;
  }

  constexpr void fail(FormatFault fault, std::size_t at, std::size_t value = 0) {
    if (ok())
      result_ = {fault, at, value};
  }

  /// At the '{' of a replacement field; leaves at_ behind its '}'.
  constexpr void field() {
    const std::size_t open = at_++;
    const std::size_t value = argument(open);
    if (ok() && take(':'))
      specification(open, value);
    end(open);
  }
  constexpr void end(std::size_t open) {
    if (!ok())
      return;
    if (at_ >= size_)
      fail(FormatFault::UnclosedBrace, open);
    else if (!take('}'))
      fail(FormatFault::ExpectedEnd, at_);
  }

  /// Which value a field stands for.
  constexpr std::size_t argument(std::size_t open) {
    const std::size_t begin = at_;
    bool number = true;
    std::size_t index = 0;
    for (; at_ < size_ && isWord(format_[at_]); ++at_) {
      number = number && isDigit(format_[at_]) && index < 10000;
      index = number ? index * 10 + static_cast<std::size_t>(format_[at_] - '0') : index;
    }
    const bool automatic = at_ == begin;
    if (!number)
      fail(FormatFault::NamedValue, begin);
    else if (!automatic || is('}') || is(':'))
      use(automatic ? open : begin, automatic ? next_++ : index,
          automatic ? Numbering::Automatic : Numbering::Manual);
    return automatic ? next_ - 1 : index;
  }

  constexpr void use(std::size_t at, std::size_t index, Numbering how) {
    if (numbering_ != Numbering::Unknown && numbering_ != how)
      return fail(FormatFault::MixedNumbering, at);
    numbering_ = how;
    if (index < count_ && used_)
      used_[index] = true;
    if (index >= count_ && !open_)
      fail(FormatFault::NoValue, at);
  }

  [[nodiscard]] constexpr FormatType typeOf(std::size_t index) const {
    return index < count_ ? types_[index] : FormatType::Unknown;
  }

  /// A width or precision: a number, or a field of its own.
  constexpr bool number() {
    if (is('{')) {
      const std::size_t open = at_++;
      const std::size_t value = argument(open);
      end(open);
      const FormatType type = typeOf(value);
      if (ok() && type != FormatType::Unknown && type != FormatType::Signed &&
          type != FormatType::Unsigned)
        fail(FormatFault::NoInteger, open, value);
      return true;
    }
    const std::size_t begin = at_;
    while (at_ < size_ && isDigit(format_[at_]))
      ++at_;
    return at_ > begin;
  }

  /// `[[fill]align][sign]["#"]["0"][width]["." precision]["L"][type]`
  constexpr void specification(std::size_t open, std::size_t value) {
    const FormatType type = typeOf(value);
    const std::size_t begin = at_;
    std::size_t fill = 0; // its bytes, where an alignment follows
    while (fill < 4 && at_ + fill < size_ && format_[at_ + fill] != '{' &&
           format_[at_ + fill] != '}' &&
           (fill == 0 || (static_cast<unsigned char>(format_[at_ + fill]) & 0xC0U) == 0x80U))
      ++fill;
    if (fill > 0 && at_ + fill < size_ && isOneOf(format_[at_ + fill], "<>^"))
      at_ += fill + 1;
    else if (at_ < size_ && isOneOf(format_[at_], "<>^"))
      ++at_;
    const bool aligned = at_ > begin;
    const bool sign = at_ < size_ && isOneOf(format_[at_], "+- ");
    at_ += sign ? 1 : 0;
    const bool alternate = take('#');
    const bool zero = take('0');
    number();
    bool precision = false;
    if (ok() && take('.')) {
      precision = true;
      if (!number())
        fail(FormatFault::NoSpecification, at_);
    }
    const bool locale = ok() && take('L');
    char presentation = 0;
    const std::size_t where = at_;
    if (ok() && at_ < size_ && format_[at_] != '}')
      presentation = format_[at_++];
    if (!ok())
      return;
    if (presentation != 0 && !isOneOf(presentation, "aAbBcdeEfFgGopsxX"))
      return fail(at_ >= size_ ? FormatFault::UnclosedBrace : FormatFault::NoSpecification,
                  at_ >= size_ ? open : where);
    if (!fits(type, presentation, aligned, sign, alternate, zero, precision, locale))
      fail(FormatFault::WrongType, where, value);
  }

  /// As fmt has it.
  [[nodiscard]] static constexpr bool fits(FormatType type, char presentation, bool aligned,
                                           bool sign, bool alternate, bool zero, bool precision,
                                           bool locale) {
    const bool numeric = alternate || zero;
    const bool ofInteger = presentation != 0 && isOneOf(presentation, "bBdoxX");
    switch (type) {
    case FormatType::Signed:
    case FormatType::Unsigned:
      return (presentation == 0 || ofInteger || presentation == 'c') && !precision &&
             !(sign && type == FormatType::Unsigned);
    case FormatType::Boolean: // by default a text
      return (presentation == 0 || ofInteger || presentation == 'c' || presentation == 's') &&
             !precision && !sign;
    case FormatType::Character:
      return (presentation == 0 || ofInteger || presentation == 'c') && !precision &&
             ((!sign && !alternate && (!zero || aligned)) || ofInteger);
    case FormatType::Real:
      return presentation == 0 || isOneOf(presentation, "aAeEfFgG");
    case FormatType::Text:
      return (presentation == 0 || presentation == 's') && !sign && !numeric && !locale;
    case FormatType::Address:
      return (presentation == 0 || presentation == 'p') && !sign && !numeric && !precision &&
             !locale;
    case FormatType::Unknown:
      break;
    }
    return true;
  }

  const char *format_;
  std::size_t size_;
  const FormatType *types_;
  std::size_t count_;
  bool open_;
  bool *used_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  Numbering numbering_ = Numbering::Unknown;
  FormatResult result_;
};

/// What a Value made of a T is to a format.
template <class T> constexpr FormatType formatType() {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_same_v<Plain, bool>)
    return FormatType::Boolean;
  else if constexpr (std::is_same_v<Plain, char>)
    return FormatType::Character;
  else if constexpr (std::is_enum_v<Plain>)
    return formatType<std::underlying_type_t<Plain>>();
  else if constexpr (std::is_integral_v<Plain>)
    return std::is_signed_v<Plain> ? FormatType::Signed : FormatType::Unsigned;
  else if constexpr (std::is_same_v<Plain, const char *> || std::is_same_v<Plain, char *> ||
                     TextIn<Plain>::is)
    return FormatType::Text;
  else if constexpr (std::is_pointer_v<Plain>)
    return FormatType::Address;
  else
    return std::is_convertible_v<const T &, double> ? FormatType::Real : FormatType::Unknown;
}

/// Checks a format against the types of what a Scope is given. Values with a key take no part and
/// stand last; what is a Value already says nothing of what it holds.
template <class... Values> constexpr FormatResult checkFormat(const char *format) {
  constexpr bool made[] = {(std::is_same_v<std::decay_t<Values>, Value> ||
                            std::is_same_v<std::decay_t<Values>, ValueRef>)...,
                           true};
  constexpr FormatType types[] = {formatType<Values>()..., FormatType::Unknown};
  std::size_t count = 0;
  while (!made[count])
    ++count;
  std::size_t size = 0;
  while (format[size] != 0)
    ++size;
  return FormatCheck(format, size, types, count, count < sizeof...(Values)).check();
}

} // namespace detail
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DETAIL_FORMAT_CHECK_H
