// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/ShortName.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "output/io/Text.h"

namespace graphprof {

namespace {

constexpr std::string_view dots = "...";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// The next number or what is between two.
std::string_view nextPiece(std::string_view &rest) {
  std::size_t size = 1;
  while (size < rest.size() && isDigit(rest[size]) == isDigit(rest.front()))
    ++size;
  const std::string_view piece = rest.substr(0, size);
  rest.remove_prefix(size);
  return piece;
}

// "a::b<c, d<e>>(f)" -> "a::b<...>(f)". An operator's own < stays, because nothing closes it.
std::string withoutTemplateArguments(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    result += name[i];
    if (name[i] != '<')
      continue;
    std::size_t depth = 1, end = i + 1;
    for (; end < name.size() && depth > 0; ++end)
      depth += name[end] == '<' ? 1 : name[end] == '>' ? std::size_t(-1) : 0;
    if (depth > 0)
      continue;
    result.append(dots) += '>';
    i = end - 1;
  }
  return result;
}

// "at::native::kernel<...>" -> "kernel<...>".
std::string withoutNamespaces(std::string_view name) {
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == ' ' && depth == 0)
      break; // a name of another kind: "Memcpy DtoH (Device -> Pinned)"
    depth += name[i] == '<' || name[i] == '(' ? 1 : 0;
    depth -= (name[i] == '>' || name[i] == ')') && depth > 0 ? 1 : 0;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':')
      begin = i + 2;
  }
  return std::string(name.substr(begin));
}

std::string lastCodePoints(std::string_view text, std::size_t most) {
  const std::size_t count = codePoints(text);
  return std::string(text.substr(firstCodePoints(text, count - std::min(count, most)).size()));
}

std::string withoutMiddle(std::string_view name, std::size_t width) {
  if (codePoints(name) <= width)
    return std::string(name);
  if (width <= dots.size())
    return std::string(firstCodePoints(name, width));
  const std::size_t kept = width - dots.size(), first = (kept + 1) / 2;
  return std::string(firstCodePoints(name, first))
      .append(dots)
      .append(lastCodePoints(name, kept - first));
}

// The name with what is in it from byte `from` on, where it begins to differ from others.
std::string withPart(std::string_view name, std::size_t from, std::size_t width) {
  if (width < 16)
    return withoutMiddle(name, width);
  while (from > 0 && from < name.size() && // not inside a number, word or UTF-8 sequence
         (isDigit(name[from - 1]) || (static_cast<unsigned char>(name[from]) & 0xc0U) == 0x80U))
    --from;
  const std::string head =
      withoutMiddle(withoutNamespaces(withoutTemplateArguments(name)), width / 2);
  const std::size_t room = width - codePoints(head) - 2 * dots.size() - 1;
  std::string_view part = name.substr(std::min(from, name.size()));
  const bool cut = codePoints(part) > room + dots.size();
  if (cut)
    part = firstCodePoints(part, room);
  return fmt::format("{} {}{}{}", head, dots, part, cut ? dots : std::string_view());
}

std::size_t commonPrefix(std::string_view one, std::string_view other) {
  return static_cast<std::size_t>(
      std::mismatch(one.begin(),
                    one.begin() + static_cast<std::ptrdiff_t>(std::min(one.size(), other.size())),
                    other.begin())
          .first -
      one.begin());
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

} // namespace

std::string withoutNumbers(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    if (!isDigit(name[at]) || (at > 0 && isWord(name[at - 1]))) {
      plain += name[at++];
      continue;
    }
    std::size_t end = at;
    while (end < name.size() && isDigit(name[end]))
      ++end;
    const bool alone = end == name.size() || !isWord(name[end]);
    plain += alone ? "{}" : name.substr(at, end - at);
    at = end;
  }
  return plain;
}

std::string commonName(std::span<const std::string_view> names) {
  if (names.empty())
    return {};
  std::vector<std::string_view> rests(names.begin(), names.end());
  std::string result;
  while (!rests.front().empty()) {
    const std::string_view piece = nextPiece(rests.front());
    bool same = true;
    for (auto rest = rests.begin() + 1; rest != rests.end(); ++rest)
      same = (!rest->empty() && nextPiece(*rest) == piece) && same;
    result += same ? piece : "{}";
  }
  return result;
}

std::string shortName(std::string_view name, std::size_t width) {
  if (codePoints(name) <= width)
    return std::string(name);
  if (constexpr std::string_view type = "void "; // of a template, as the compiler writes it
      name.starts_with(type) && name.find('<') != std::string_view::npos)
    name.remove_prefix(type.size());
  std::string bare = withoutTemplateArguments(name);
  if (codePoints(bare) <= width)
    return bare;
  const std::string last = withoutNamespaces(bare);
  return withoutMiddle(last, width);
}

std::vector<std::string> shortNames(std::span<const std::string> names,
                                    std::span<const std::size_t> widths) {
  std::vector<std::string> result;
  std::map<std::string, std::vector<std::size_t>> same; // by what is left
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.push_back(shortName(names[i], widths[i]));
    same[result.back()].push_back(i);
  }
  std::set<std::string, std::less<>> taken;
  for (const auto &[text, places] : same)
    taken.insert(text);
  for (const auto &[text, places] : same) {
    std::map<std::string_view, std::string> apart; // by the whole name
    for (const std::size_t i : places)
      apart.emplace(names[i], std::string());
    if (apart.size() < 2)
      continue;
    std::size_t number = 0, width = SIZE_MAX;
    for (const std::size_t i : places)
      width = std::min(width, widths[i]);
    for (auto &[name, shown] : apart) {
      std::size_t from = 0;
      for (const auto &[other, ignored] : apart)
        if (other != name)
          from = std::max(from, commonPrefix(name, other));
      shown = withPart(name, from, width);
      if (!taken.insert(shown).second) {
        const std::string mark = fmt::format(" ~{}", ++number);
        shown = withoutMiddle(text, width > mark.size() ? width - mark.size() : 1) + mark;
        taken.insert(shown);
      }
    }
    for (const std::size_t i : places)
      result[i] = apart[names[i]];
  }
  return result;
}

} // namespace graphprof
