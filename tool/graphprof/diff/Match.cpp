// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Match.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace graphprof {

namespace {

constexpr std::size_t none = Match::none;

// "3 16" of "layer 3 gemm 16".
std::string numbersOf(std::string_view name) {
  std::string numbers;
  for (const char c : name)
    if (c >= '0' && c <= '9')
      numbers += c;
    else if (!numbers.empty() && numbers.back() != ' ')
      numbers += ' ';
  return numbers;
}

std::string_view withoutTemplate(std::string_view name) { return name.substr(0, name.find('<')); }

class Matching {
public:
  Matching(const std::vector<Subject> &before, const std::vector<Subject> &after)
      : before_(before), after_(after), ofBefore_(before.size(), none),
        ofAfter_(after.size(), none) {}

  std::vector<Match> run() {
    byPath();
    // A region that is found lets those inside it be found.
    while (round())
      ;
    std::vector<Match> matches;
    matches.reserve(after_.size());
    for (std::size_t i = 0; i < after_.size(); ++i)
      matches.push_back({ofAfter_[i], i, isRenamed(i)});
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (ofBefore_[i] == none)
        matches.push_back({i, none, false});
    return matches;
  }

private:
  // A text that only the same thing has on both sides; empty: it cannot be found this way.
  // `around`: the match of the region around it, as a text.
  using KeyOf = std::function<std::string(const Subject &, const std::string &around)>;

  void byPath() {
    std::map<std::pair<Place, std::string_view>, std::size_t> known;
    for (std::size_t i = 0; i < before_.size(); ++i)
      known.emplace(std::pair(before_[i].place, std::string_view(before_[i].path)), i);
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (const auto found = known.find({after_[i].place, after_[i].path});
          found != known.end() && before_[found->second].kind == after_[i].kind)
        join(found->second, i);
  }

  bool round() {
    bool any = false;
    any |= by([](const Subject &one, const std::string &around) { // its outer region is renamed
      return around.empty() ? around : around + one.name;
    });
    any |= by([](const Subject &one, const std::string &) { // it is renamed in the source
      return one.source.empty() ? std::string() : one.source + ' ' + numbersOf(one.name);
    });
    any |= by([](const Subject &one, const std::string &around) { // other template arguments
      return one.kernel.empty() || around.empty()
                 ? std::string()
                 : fmt::format("{}{} {}", around, withoutTemplate(one.kernel), one.number);
    });
    any |= by([](const Subject &one, const std::string &) { // the kernel runs elsewhere
      return one.kernel.empty() ? std::string() : fmt::format("{} #{}", one.kernel, one.number);
    });
    return any;
  }

  bool by(const KeyOf &keyOf) {
    std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> found;
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (ofBefore_[i] == none && !before_[i].isGraph())
        if (std::string key = keyOf(before_[i], aroundBefore(i)); !key.empty())
          found[std::move(key) += kindOf(before_[i])].first.push_back(i);
    for (std::size_t i = 0; i < after_.size(); ++i)
      if (ofAfter_[i] == none && !after_[i].isGraph())
        if (std::string key = keyOf(after_[i], aroundAfter(i)); !key.empty())
          found[std::move(key) += kindOf(after_[i])].second.push_back(i);
    bool any = false;
    for (const auto &[key, candidates] : found)
      if (candidates.first.size() == 1 && candidates.second.size() == 1) {
        join(candidates.first.front(), candidates.second.front());
        any = true;
      }
    return any;
  }

  static std::string kindOf(const Subject &one) {
    return fmt::format("|{} {}", static_cast<int>(one.kind), static_cast<int>(one.place));
  }
  // Both sides call a matched region by its number on the left one.
  [[nodiscard]] std::string aroundBefore(std::size_t one) const {
    const std::size_t around = before_[one].parent;
    if (around == none)
      return "top/";
    return ofBefore_[around] == none ? std::string() : fmt::format("{}/", around);
  }
  [[nodiscard]] std::string aroundAfter(std::size_t one) const {
    const std::size_t around = after_[one].parent;
    if (around == none)
      return "top/";
    return ofAfter_[around] == none ? std::string() : fmt::format("{}/", ofAfter_[around]);
  }

  void join(std::size_t before, std::size_t after) {
    ofBefore_[before] = after;
    ofAfter_[after] = before;
  }

  [[nodiscard]] bool isRenamed(std::size_t after) const {
    const std::size_t before = ofAfter_[after];
    return before != none &&
           (before_[before].name != after_[after].name || aroundBefore(before).empty() ||
            aroundBefore(before) != aroundAfter(after));
  }

  const std::vector<Subject> &before_, &after_;
  std::vector<std::size_t> ofBefore_, ofAfter_;
};

} // namespace

std::vector<Match> matched(const std::vector<Subject> &before, const std::vector<Subject> &after) {
  return Matching(before, after).run();
}

} // namespace graphprof
