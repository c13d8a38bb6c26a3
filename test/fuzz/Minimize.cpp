// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Minimize.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace graphprof::fuzz {
namespace {

using Pieces = std::vector<std::string>;

Pieces lines(const std::string &Text) {
  Pieces Result(1);
  for (const char C : Text) {
    Result.back() += C;
    if (C == '\n')
      Result.emplace_back();
  }
  return Result;
}

/// Splits a text into words, each with the blanks behind it, and single other characters.
Pieces tokens(const std::string &Text) {
  Pieces Result;
  const auto IsWord = [](char C) {
    return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
  };
  for (const char C : Text) {
    const bool Joins = !Result.empty() && (C == ' ' || (IsWord(C) && IsWord(Result.back().back())));
    if (Joins)
      Result.back() += C;
    else
      Result.emplace_back(1, C);
  }
  return Result;
}

std::string joined(const Pieces &All, size_t LeaveOut, size_t Count) {
  std::string Result;
  for (size_t I = 0; I < All.size(); ++I)
    if (I < LeaveOut || I >= LeaveOut + Count)
      Result += All[I];
  return Result;
}

} // namespace

std::string minimize(std::string Text, const std::function<bool(const std::string &)> &Fails,
                     unsigned Tries) {
  for (const auto &Split : {lines, tokens}) {
    Pieces All = Split(Text);
    for (size_t Count = std::max<size_t>(All.size() / 2, 1);; Count /= 2) {
      for (size_t I = 0; I < All.size() && Tries > 0;) {
        --Tries;
        if (Fails(joined(All, I, Count)))
          All.erase(All.begin() + static_cast<long>(I),
                    All.begin() + static_cast<long>(std::min(I + Count, All.size())));
        else
          I += Count;
      }
      if (Count <= 1)
        break;
    }
    Text = joined(All, 0, 0);
  }
  return Text;
}

} // namespace graphprof::fuzz
