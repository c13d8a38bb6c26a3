// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Text.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphprof {

// Unicode 15, table 3-7: no overlong forms, no surrogates, nothing beyond U+10FFFF.
std::size_t utf8Sequence(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto within = [&](std::size_t i, unsigned lowest, unsigned highest) {
    return i < text.size() && byte(i) >= lowest && byte(i) <= highest;
  };
  const auto tail = [&](std::size_t i) { return within(i, 0x80, 0xbf); };
  const unsigned lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const unsigned lowest = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned highest = lead == 0xed ? 0x9f : 0xbf;
    return within(1, lowest, highest) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const unsigned lowest = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned highest = lead == 0xf4 ? 0x8f : 0xbf;
    return within(1, lowest, highest) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

namespace {

// The code point of a valid UTF-8 sequence.
char32_t codePointOf(std::string_view sequence) {
  constexpr unsigned tailBits = 6, tailMask = 0x3f;
  auto code = static_cast<char32_t>(static_cast<unsigned char>(sequence.front()));
  if (sequence.size() > 1)
    code &= 0x7fU >> sequence.size();
  for (const char tail : sequence.substr(1))
    code = code << tailBits | (static_cast<unsigned char>(tail) & tailMask);
  return code;
}

// Controls (also those that a terminal takes for an escape and another character), separators of
// lines, and what Unicode calls Bidi_Control.
bool isControl(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) {
    return code >= first && code <= last;
  };
  return code < 0x20 || within(0x7f, 0x9f) || code == 0x061c || within(0x2028, 0x202e) ||
         within(0x2066, 0x2069);
}

// Unicode 15, Default_Ignorable_Code_Point: nothing is shown. Two names that look alike are not.
bool isInvisible(char32_t code) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
      {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2060, 0x206f},   {0x3164, 0x3164},
      {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfff8},
      {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
  };
  return std::any_of(std::begin(ranges), std::end(ranges), [code](const auto &range) {
    return code >= range.first && code <= range.second;
  });
}

} // namespace

std::string utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  appendWithCare(
      valid, text, [](unsigned char byte) { return byte >= 0x80; },
      [](std::string &out, std::string_view sequence) {
        out += sequence.empty() ? replacementCharacter : sequence;
      });
  return valid;
}

std::string printable(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  appendWithCare(
      text, name, [](unsigned char byte) { return byte < 0x20 || byte >= 0x7f; },
      [](std::string &out, std::string_view sequence) {
        if (sequence.empty())
          out += replacementCharacter;
        else if (isControl(codePointOf(sequence)) || isInvisible(codePointOf(sequence)))
          out += '?';
        else
          out += sequence;
      });
  return text;
}

std::size_t codePoints(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char character) {
    return (static_cast<unsigned char>(character) & 0xc0) != 0x80;
  }));
}

std::string_view firstCodePoints(std::string_view text, std::size_t most) {
  std::string_view rest = text;
  for (; most > 0 && !rest.empty(); --most)
    rest.remove_prefix(std::max<std::size_t>(utf8Sequence(rest), 1));
  return text.substr(0, text.size() - rest.size());
}

} // namespace graphprof
