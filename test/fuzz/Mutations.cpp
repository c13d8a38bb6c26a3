// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Mutations.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::fuzz {
namespace {

class Mutator {
public:
  Mutator(Random &Pick, Grammar &Source, Grammar::Mood Feeling)
      : Pick(Pick), Source(Source), Feeling(Feeling) {}

  void mutate(Node &Top);
  void mutate(std::string &Text);
  void finish(std::string &Text);
  unsigned done() const { return Done; }

private:
  static void duplicate(llvm::ArrayRef<Node *> All, const Node &Chosen);
  void wrapInMacro(Node &Top, Node &Inner);
  /// The offsets of tokens behind the prologue.
  std::vector<size_t> boundaries(const std::string &Text);

  Random &Pick;
  Grammar &Source;
  Grammar::Mood Feeling;
  unsigned Done = 0;
  unsigned Macros = 0;
};

/// Moves nodes, so the pointers in All are invalid afterwards.
void Mutator::duplicate(llvm::ArrayRef<Node *> All, const Node &Chosen) {
  for (Node *Parent : All) {
    for (size_t I = 0; I < Parent->Nodes.size(); ++I) {
      if (&Parent->Nodes[I] != &Chosen)
        continue;
      Node Copy = Chosen;
      Parent->Nodes.insert(Parent->Nodes.begin() + static_cast<long>(I), std::move(Copy));
      Parent->Pieces.insert(Parent->Pieces.begin() + static_cast<long>(I) + 1, "\n");
      return;
    }
  }
}

/// Turns the text of a node into a macro, perhaps with an inner node as its argument.
void Mutator::wrapInMacro(Node &Top, Node &Inner) {
  const std::string Name = "WRAP" + std::to_string(++Macros);
  std::vector<Node *> Below;
  list(Inner, Below);
  std::string Argument;
  bool HasArgument = false;
  if (Below.size() > 1 && Pick.percent(60)) {
    Node &Chosen = *Below[1 + Pick.below(Below.size() - 1)];
    Argument = Chosen.text();
    Chosen = node(Chosen.Kind, "arg");
    HasArgument = true;
  }
  std::string Body = Inner.text();
  if (llvm::StringRef(Body).contains('#') || llvm::StringRef(Body).contains("//") ||
      llvm::StringRef(Body).contains("R\""))
    Body = "work(s);";
  std::string Spliced;
  for (const char C : Body)
    Spliced +=
        C == '\n' ? (llvm::StringRef(Spliced).ends_with("\\") ? "\n" : " \\\n") : std::string(1, C);
  Inner = node(Inner.Kind, "");
  Inner.Pieces[0] = Name + (HasArgument ? "(" + Argument + ")" : "");
  Top.Pieces.front() += "#define " + Name + (HasArgument ? "(arg) " : " ") + Spliced + "\n";
}

void Mutator::mutate(Node &Top) {
  for (size_t Times = Pick.below(4); Times > 0; --Times) {
    std::vector<Node *> All;
    list(Top, All);
    Node &Chosen = *All[Pick.below(All.size())];
    if (Chosen.Kind == Part::Unit)
      continue;
    ++Done;
    switch (Pick.below(7)) {
    case 0: // exchange two parts
    case 1: {
      Node &Other = *All[Pick.below(All.size())];
      if (Other.Kind != Chosen.Kind)
        break;
      // If one is inside the other, the inner one replaces the outer one.
      Node Copy = Other, Mine = Chosen;
      const bool Inside = Chosen.text().find(Other.text()) != std::string::npos ||
                          Other.text().find(Chosen.text()) != std::string::npos;
      if (!Inside)
        Other = std::move(Mine);
      Chosen = std::move(Copy);
      break;
    }
    case 2: // duplicate one
      if (Chosen.Kind == Part::Statement)
        duplicate(All, Chosen);
      break;
    case 3: // remove one
      Chosen = node(Chosen.Kind, Chosen.Kind == Part::Statement ? Pick.of({"", ";", "{}"})
                                 : Chosen.Kind == Part::Item    ? ""
                                                                : "n");
      break;
    case 4: // replace one
      Chosen = Chosen.Kind == Part::Statement ? Source.statement(2)
               : Chosen.Kind == Part::Call    ? Source.call()
               : Chosen.Kind == Part::Item    ? Source.item()
                                              : Source.expression(2);
      break;
    default:
      if (Chosen.Kind == Part::Item && Feeling == Grammar::Mood::Tame)
        break;
      wrapInMacro(Top, Chosen);
      break;
    }
  }
}

std::vector<size_t> Mutator::boundaries(const std::string &Text) {
  std::vector<size_t> Result;
  const size_t Prologue = Text.find("struct Holder");
  bool InWord = false;
  for (size_t I = Prologue == std::string::npos ? 0 : Prologue; I < Text.size(); ++I) {
    const bool Word = llvm::isAlnum(Text[I]) || Text[I] == '_';
    if (Text[I] != ' ' && Text[I] != '\n' && !(Word && InWord))
      Result.push_back(I);
    InWord = Word;
  }
  return Result;
}

void Mutator::mutate(std::string &Text) {
  const unsigned Chance = Feeling == Grammar::Mood::Wild ? 40 : 8;
  for (int Times = 0; Times < 3 && Pick.percent(Chance); ++Times) {
    const std::vector<size_t> Places = boundaries(Text);
    const size_t At = Pick.of(Places);
    ++Done;
    switch (Pick.below(9)) {
    case 0:
    case 1:
    case 2:
      Text.insert(At, Source.annotation());
      break;
    case 3: { // remove a few tokens
      const size_t End = Pick.of(Places);
      if (End > At && End < At + 40)
        Text.erase(At, End - At);
      break;
    }
    case 4:
      Text.insert(At, Pick.of({"\\\n", "/* c */", "// c\n", "\n", "\t", "?\?=", "\v", "/*\n*/"}));
      break;
    case 5:
      Text.insert(At,
                  Pick.of({"{ ", "} ", "( ", ") ", "; ", ", ", "[[", "]]", "<<<", ">>>", "::"}));
      break;
    case 6: { // move a range into a macro
      const size_t End = Pick.of(Places);
      if (End <= At || End > At + 120)
        break;
      std::string Body = Text.substr(At, End - At);
      if (Body.find_first_of("#\\\"/") != std::string::npos)
        break;
      for (char &C : Body)
        C = C == '\n' ? ' ' : C;
      Text.replace(At, End - At, " RANGE" + std::to_string(++Macros) + " ");
      Text.insert(0, "#define RANGE" + std::to_string(Macros) + " " + Body + "\n");
      break;
    }
    case 7:
      Text.insert(At, Pick.of({"\n#if 1\n", "\n#endif\n", "\n#if 0\n#endif\n",
                               "\n#line 7 \"x.cu\"\n", "\n#pragma once\n", "\n#define s s\n",
                               "\n#undef RUN\n", "\n#pragma system_header\n"}));
      break;
    default:
      Text.insert(At, Pick.of({"RUN(", "EMPTY ", "RUN()", "TWICE(", ")", "TIMED(\"t\") ", "OPEN ",
                               "CLOSE "}));
      break;
    }
  }
}

/// Adds what editors and other systems leave in files.
void Mutator::finish(std::string &Text) {
  if (Pick.percent(6)) {
    std::string Crlf;
    for (const char C : Text)
      Crlf += C == '\n' ? "\r\n" : std::string(1, C);
    Text = std::move(Crlf);
    ++Done;
  }
  if (Pick.percent(6)) {
    const std::vector<size_t> Places = boundaries(Text);
    Text.insert(Pick.of(Places), Pick.of({"/* \xff\xfe\x80 */", "/* \xe9t\xe9 */", "// \xc3\n"}));
    ++Done;
  }
  if (Pick.percent(5)) {
    Text.insert(0, "\xEF\xBB\xBF");
    ++Done;
  }
  if (Pick.percent(5)) {
    Text.insert(0, Pick.of({"\n", "#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n",
                            "#define _GNU_SOURCE\n", "// c\n", "#define __CUDA_X(a) a\n", "\f"}));
    ++Done;
  }
  if (Pick.percent(5)) {
    while (!Text.empty() && (Text.back() == '\n' || Text.back() == '\r'))
      Text.pop_back();
    ++Done;
  }
}

} // namespace

Case makeCase(std::uint64_t Seed) {
  Random Pick(Seed);
  const auto Feeling = Pick.percent(60) ? Grammar::Mood::Tame : Grammar::Mood::Wild;
  Grammar Source(Pick, Feeling);
  Mutator Changes(Pick, Source, Feeling);
  Node Top = Source.unit();
  Changes.mutate(Top);
  Case Result{.Text = Top.text()};
  Changes.mutate(Result.Text);
  Changes.finish(Result.Text);
  Result.Mutations = Changes.done();
  return Result;
}

} // namespace graphprof::fuzz
