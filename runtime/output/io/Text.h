// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names as text outputs print them.

#ifndef GRAPHPROF_OUTPUT_IO_TEXT_H
#define GRAPHPROF_OUTPUT_IO_TEXT_H

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace graphprof {

/// The length of the valid UTF-8 sequence at the begin of `text`, which must not be empty; 0 if
/// there is none.
[[nodiscard]] std::size_t utf8Sequence(std::string_view text);
/// Appends `text` to `out`. `append(out, sequence)` appends each UTF-8 sequence whose first byte
/// `needsCare`, as an unsigned char; `sequence` is empty for a byte that is not part of valid
/// UTF-8. All other bytes are copied at once.
template <class NeedsCare, class Append>
void appendWithCare(std::string &out, std::string_view text, NeedsCare needsCare, Append append) {
  while (!text.empty()) {
    const auto special = std::find_if(text.begin(), text.end(), [needsCare](char character) {
      return needsCare(static_cast<unsigned char>(character));
    });
    out.append(text.begin(), special);
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()));
    if (text.empty())
      return;
    const std::size_t length = utf8Sequence(text);
    append(out, text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

/// Replaces each byte that is not part of valid UTF-8: U+FFFD.
inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd";
/// `text` as valid UTF-8.
[[nodiscard]] std::string utf8(std::string_view text);

/// `name` as valid UTF-8 on one line, which does nothing to a terminal: control characters, those
/// that change the order of the text around them (U+202A to U+202E and their like), and those that
/// nobody sees (U+200B) become '?'.
[[nodiscard]] std::string printable(std::string_view name);

/// For valid UTF-8.
[[nodiscard]] std::size_t codePoints(std::string_view text);
[[nodiscard]] std::string_view firstCodePoints(std::string_view text, std::size_t most);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_TEXT_H
