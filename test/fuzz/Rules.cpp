// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::fuzz {
namespace {

HeaderFiles readHeaders(llvm::StringRef Root) {
  HeaderFiles Files;
  Files.addDirectory((Root + "/include").str(), "/include");
  Files.addDirectory((Root + "/test/cudasim/include").str(), "/cuda");
  Files.addDirectory((Root + "/test/tool/Inputs").str(), "/tool");
  Files.addDirectory((Root + "/test/fuzz/headers").str(), "/std");
  return Files;
}

/// `<file>:<line>:<column>: `
bool beginsWithLocation(llvm::StringRef Line) {
  for (size_t At = Line.find(':'); At != llvm::StringRef::npos; At = Line.find(':', At + 1)) {
    llvm::StringRef Rest = Line.drop_front(At + 1);
    unsigned Number = 0, Column = 0;
    if (!Rest.consumeInteger(10, Number) && Rest.consume_front(":") &&
        !Rest.consumeInteger(10, Column) && Rest.starts_with(": ") && Number > 0 && Column > 0)
      return true;
  }
  return false;
}

/// What is wrong with the tool's messages; empty if nothing is.
std::string badMessage(const Instrumented &Result) {
  bool AnyError = false;
  for (llvm::StringRef Line : llvm::split(Result.Messages, '\n')) {
    if (Line.contains("internal error"))
      return "an internal error";
    // Skips lines of the source below a message, which begin with their number.
    const size_t Error = Line.find("error: ");
    if (Error == llvm::StringRef::npos || Line.ltrim().take_front(8).contains('|'))
      continue;
    AnyError = true;
    // Some of clang's errors have no location.
    if (!beginsWithLocation(Line) && Result.ParseErrors == 0)
      return "an error without a location";
    if (Line.drop_front(Error + 7).trim().empty())
      return "an error without a reason";
  }
  return !Result.Done && !AnyError ? "refused without a reason" : "";
}

/// The text below the tool's own first lines; nothing if `#line 1` is missing from them.
std::optional<llvm::StringRef> belowPreamble(llvm::StringRef Text) {
  Text.consume_front("\xEF\xBB\xBF");
  while (!Text.empty()) {
    const auto [Line, Rest] = Text.split('\n');
    if (Line.starts_with("#line 1 "))
      return Rest;
    if (!Line.starts_with("#"))
      return std::nullopt;
    Text = Rest;
  }
  return std::nullopt;
}

std::string badText(llvm::StringRef Before, const Instrumented &Result) {
  const llvm::StringRef After = Result.Text;
  if (!Result.Changed)
    return After == Before ? "" : "changed, and said to be unchanged";
  llvm::StringRef Below = After;
  if (Result.Regions + Result.Calls > 0) {
    const auto Found = belowPreamble(After);
    if (!Found || !After.contains("#include <graphprof/cuda.h>"))
      return "no preamble";
    Below = *Found;
  }
  if (Below.count('\n') != Before.count('\n'))
    return "another number of lines";
  if (Before.contains("\r\n") && Below.count("\r\n") != Before.count("\r\n"))
    return "other line ends";
  return "";
}

/// Whether the first parenthesis of a text is still open at its end.
bool isOpen(llvm::StringRef Text) {
  int Depth = 0;
  for (const char C : Text) {
    Depth += C == '(';
    Depth -= C == ')';
    if (C == ')' && Depth <= 0)
      return false;
  }
  return true;
}

/// Whether the first error is in a value that an annotation passes to its guard. Other errors may
/// follow from it. A stream that the tool found itself is not such a value.
bool beginInArgument(const Compiler::Errors &Errors, llvm::StringRef Text, llvm::StringRef Before) {
  if (Errors.Places.empty())
    return false;
  const unsigned Place = Errors.Places.front();
  if (Text.drop_front(Place).starts_with("GRAPHPROF_SCOPE("))
    return llvm::StringRef(Errors.Said).contains("graphprof: a context value must be");
  const size_t Guard = Text.take_front(Place).rfind("GRAPHPROF_SCOPE(");
  if (Guard == llvm::StringRef::npos)
    return false;
  const llvm::StringRef Between = Text.slice(Guard, Place);
  const size_t Stream = Between.find("::graphprof::on_stream(");
  const bool InStream = Stream != llvm::StringRef::npos && isOpen(Between.drop_front(Stream));
  return isOpen(Between) &&
         (!InStream || Before.contains("stream =") || Before.contains("stream="));
}

} // namespace

Rules::Rules(llvm::StringRef Root) : Rules(readHeaders(Root)) {}

Rules::Rules(const HeaderFiles &Project)
    : Tool(Project), Host(Compiler::Side::Host, Project), Device(Compiler::Side::Device, Project) {}

void Rules::parse(llvm::StringRef Text) const { (void)Host.errors(Text); }

Verdict Rules::check(llvm::StringRef Text, Subject::Auto Unannotated) const {
  Verdict Found;
  Found.Result = Tool.instrument(Text, Unannotated);
  const Instrumented &First = Found.Result;
  const auto Broken = [&](std::string Rule, std::string Detail) {
    Found.Broken = std::move(Rule);
    Found.Detail = std::move(Detail);
    return Found;
  };

  if (std::string Rule = badMessage(First); !Rule.empty())
    return Broken(Rule, First.Messages);
  if (!First.Done)
    return Found;
  if (std::string Rule = badText(Text, First); !Rule.empty())
    return Broken(Rule, First.Text);
  if (!First.Changed)
    return Found;

  if (First.ParseErrors == 0) {
    // Allows errors that clang reports for the source itself, such as for an attribute of ours in a
    // wrong place, and errors in annotations' values, which only the compiler checks.
    for (const auto &[Side, Rule] : {std::pair(&Host, "does not compile"),
                                     std::pair(&Device, "does not compile for the device")}) {
      const Compiler::Errors Errors = Side->errors(First.Text);
      if (!Errors.Said.empty() && !beginInArgument(Errors, First.Text, Text) &&
          Side->errors(Text).Said.empty())
        return Broken(Rule, Errors.Said + First.Text);
    }
  }

  // clang's recovery from an error depends on all declarations, also those of graphprof's header.
  // And a call that is left because of an annotation in the same macro can be redirected once that
  // is gone.
  if (First.ParseErrors > 0 || llvm::StringRef(First.Messages).contains("is not redirected"))
    return Found;
  const Instrumented Second = Tool.instrument(First.Text, Unannotated);
  if (!Second.Done)
    return Broken("refused the second time", Second.Messages + First.Text);
  if (Second.Text != First.Text)
    return Broken("twice is not once", First.Text + "\n--- twice:\n" + Second.Text);
  return Found;
}

} // namespace graphprof::fuzz
