// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "FormatString.h"

#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

class Checker {
public:
  Checker(llvm::StringRef Format, size_t Arguments) : Format(Format) {
    Result.Used.resize(Arguments);
  }

  FormatCheck check() {
    while (At < Format.size() && !Result.Problem) {
      const char Current = Format[At];
      if (Current != '{' && Current != '}') {
        ++At;
      } else if (At + 1 < Format.size() && Format[At + 1] == Current) {
        At += 2; // "{{" and "}}" stand for one brace
      } else if (Current == '}') {
        fail(At, "'}' without a '{' before it; write '}}' for a brace");
      } else {
        field(/*Nested=*/false);
      }
    }
    return std::move(Result);
  }

private:
  enum class Numbering { Unknown, Automatic, Manual };

  void fail(size_t Where, std::string Message) {
    if (!Result.Problem)
      Result.Problem = FormatProblem{Where, std::move(Message)};
  }

  /// At the '{' of a replacement field; leaves At behind its '}'. A width or precision may be a
  /// field of its own.
  void field(bool Nested) {
    const size_t Open = At++;
    argument(Open);
    if (Result.Problem)
      return;
    if (!Nested && At < Format.size() && Format[At] == ':') {
      ++At;
      while (At < Format.size() && Format[At] != '}' && !Result.Problem) {
        if (Format[At] == '{')
          field(/*Nested=*/true);
        else
          ++At;
      }
    }
    if (Result.Problem)
      return;
    if (At >= Format.size())
      fail(Open, "'{' without a '}' behind it; write '{{' for a brace");
    else if (Format[At] != '}')
      fail(At, "expected '}' or ':'");
    else
      ++At;
  }

  void argument(size_t Open) {
    const size_t Begin = At;
    while (At < Format.size() && (llvm::isAlnum(Format[At]) || Format[At] == '_'))
      ++At;
    const llvm::StringRef Id = Format.slice(Begin, At);
    if (Id.empty()) {
      if (At < Format.size() && (Format[At] == '}' || Format[At] == ':'))
        use(Open, NextArgument++, Numbering::Automatic);
      return;
    }
    size_t Index = 0;
    if (Id.getAsInteger(10, Index))
      fail(Begin, "'" + Id.str() + "': values are named by their place, '{}' or '{0}'");
    else
      use(Begin, Index, Numbering::Manual);
  }

  void use(size_t Where, size_t Index, Numbering How) {
    if (Used != Numbering::Unknown && Used != How)
      return fail(Where, "'{}' and '{0}' cannot be mixed in one format");
    Used = How;
    if (Index < Result.Used.size())
      Result.Used[Index] = true;
    else
      fail(Where, "no value for this: the annotation gives " + std::to_string(Result.Used.size()));
  }

  llvm::StringRef Format;
  size_t At = 0;
  size_t NextArgument = 0;
  Numbering Used = Numbering::Unknown;
  FormatCheck Result;
};

} // namespace

FormatCheck checkFormat(llvm::StringRef Format, size_t Arguments) {
  return Checker(Format, Arguments).check();
}

} // namespace graphprof::instrument
